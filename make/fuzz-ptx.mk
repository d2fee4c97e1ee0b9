# make fuzz-ptx   a bounded number of damaged PTX texts, with ASan and UBSan
FUZZ_PTX     := $(B)/fuzz/fuzz_ptx
FUZZ_PTX_SRC := tests/fuzz/fuzz_ptx.c $(wildcard emulator/ptx/*.c emulator/ptx/*/*.c)

.PHONY: fuzz-ptx fuzz
$(FUZZ_PTX): $(FUZZ_PTX_SRC) tests/fuzz/fuzz.h $(wildcard emulator/ptx/*.h emulator/ptx/*/*.h emulator/ptx/*.def)
	@mkdir -p $(@D)
	$(CC) $(CSTD) -O1 -g $(WARN) -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	  -DFUZZ_MAIN -I. -o $@ $(FUZZ_PTX_SRC) -lm -lpthread

fuzz-ptx: $(FUZZ_PTX)
	$< 6000 1 tests/fuzz/corpus/ptx/* tests/ptx/corpus/*.ptx

fuzz: fuzz-ptx
