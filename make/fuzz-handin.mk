# make fuzz-handin   a bounded number of damaged archives of a class, with ASan and UBSan
FUZZ_HANDIN     := $(B)/fuzz/fuzz_handin
FUZZ_HANDIN_SRC := tests/fuzz/fuzz_handin.c $(addprefix runner/class/,csv.c handin.c pile.c plain.c roster.c) \
                   $(addprefix runner/base/,files.c leftovers.c text.c)

.PHONY: fuzz-handin fuzz
$(FUZZ_HANDIN): $(FUZZ_HANDIN_SRC) tests/fuzz/fuzz.h $(addprefix runner/class/,handin.h pile.h roster.h)
	@mkdir -p $(@D)
	$(CC) $(CSTD) -O1 -g $(WARN) -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	  -DFUZZ_MAIN -I. -o $@ $(FUZZ_HANDIN_SRC) -larchive -lm

fuzz-handin: $(FUZZ_HANDIN)
	$< 4000

fuzz: fuzz-handin
