# The PTX room: a tool that reads, checks and prints PTX text, and the corpus that its tests read.

PTX_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard emulator/ptx/*.c emulator/ptx/*/*.c))

# Read a .ptx file, say what is not supported, print it as the emulator understood it.
$(B)/ptxdump: tests/ptx/ptxdump.c $(PTX_OBJ) $(FLAGS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -o $@ $< $(PTX_OBJ) -lm -lpthread

# tests/ptx/corpus from tests/ptx/kernels, by the toolkit that is installed. The first line of a
# kernel says how it is compiled; directories are taken off the names of source files.
.PHONY: ptx-corpus
ptx-corpus:
	@mkdir -p $(B)/ptx
	@for f in tests/ptx/kernels/*.cu; do \
	  name=$$(basename $$f .cu); \
	  $(NVCC) -std=c++17 -O3 -w $$(sed -n '1s,^// nvcc: ,,p' $$f) -ptx $$f -o $(B)/ptx/$$name.ptx && \
	  sed -E 's,^(\s*\.file\s+[0-9]+ ")[^"]*/,\1,' $(B)/ptx/$$name.ptx > tests/ptx/corpus/$$name.ptx \
	    || exit 1; \
	done

# This test lets allocations fail.
$(B)/tests/unit/ptx/test_ptx_memory: EMU_LIBS_EXTRA += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
