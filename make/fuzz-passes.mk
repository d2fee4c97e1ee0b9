# make fuzz-passes   random kernels with and without what only makes them faster: the same results
FUZZ_PASSES := $(B)/fuzz/fuzz_passes

.PHONY: fuzz-passes fuzz
$(FUZZ_PASSES): $(wildcard tests/fuzz/*passes*.[ch]) tests/fuzz/fuzz.h $(EMU_AR)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -I. -o $@ $(filter %.c,$^) $(EMU_AR) $(EMU_LIBS) $(EMU_LIBS_EXTRA)

fuzz-passes: $(FUZZ_PASSES)
	$< 20000

fuzz: fuzz-passes
