# The PTX room: a tool that reads, checks and prints PTX text, and the corpus that its tests read.

PTX_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard emulator/ptx/*.c))

# Read a .ptx file, say what is not supported, print it as the emulator understood it.
$(B)/ptxdump: tests/ptx/ptxdump.c $(PTX_OBJ)
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

# The table of instructions in the emulator's README, from the sheets. ptx-table-check says whether
# it is up to date.
PTX_TABLE = awk -f emulator/ptx/table.awk emulator/ptx/mods.def emulator/ptx/ops.def
PTX_README = awk '/<!-- instructions: begin -->/ { print; system(t); skip = 1 } \
  /<!-- instructions: end -->/ { skip = 0 } !skip { print }' t="$(PTX_TABLE)" emulator/README.md

.PHONY: ptx-table ptx-table-check
ptx-table:
	@mkdir -p $(B)
	@$(PTX_README) > $(B)/emulator-readme && cp $(B)/emulator-readme emulator/README.md

ptx-table-check:
	@$(PTX_README) | diff emulator/README.md - >/dev/null || \
	  { echo "emulator/README.md is behind the sheets: make ptx-table" >&2; exit 1; }

# This test lets allocations fail.
$(B)/tests/test_ptx_memory: EMU_LIBS_EXTRA += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
