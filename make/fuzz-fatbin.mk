# make fuzz-fatbin   a bounded number of damaged fat binaries, with ASan and UBSan
FUZZ_FATBIN := $(B)/fuzz/fuzz_fatbin

.PHONY: fuzz-fatbin fuzz
$(FUZZ_FATBIN): tests/fuzz/fuzz_fatbin.c tests/fuzz/fuzz.h emulator/cudart/code/fatbin.c emulator/cudart/code/fatbin.h \
               emulator/cudart/core/machine.c emulator/cudart/core/machine.h
	@mkdir -p $(@D)
	$(CC) $(CSTD) -O1 -g $(WARN) -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	  -DFUZZ_MAIN -I. -I$(CUDA)/include -o $@ $(filter %.c,$^) -lzstd -llz4

fuzz-fatbin: $(FUZZ_FATBIN)
	$< 200000

fuzz: fuzz-fatbin
