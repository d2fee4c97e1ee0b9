# make fuzz-recording   a bounded number of damaged recordings, with ASan and UBSan
FUZZ_RECORDING := $(B)/fuzz/fuzz_recording

.PHONY: fuzz-recording fuzz
$(FUZZ_RECORDING): tests/fuzz/fuzz_recording.c tests/fuzz/fuzz.h \
                   $(addprefix emulator/debugger/recording/,hash.c item.c reader.c recording.h records.def file.h) \
                   emulator/debugger/replay/check.c emulator/debugger/replay/check.h
	@mkdir -p $(@D)
	$(CC) $(CSTD) -O1 -g $(WARN) -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	  -DFUZZ_MAIN -I. -I$(CUDA)/include -o $@ $(filter %.c,$^) -lzstd

fuzz-recording: $(FUZZ_RECORDING)
	$< 2000

fuzz: fuzz-recording
