# The list of the emulator's variables, as text for people and for `warpbook exec --help`.
ENV_TXT := $(B)/emulator/warpbook-env.txt

all: $(ENV_TXT)

$(ENV_TXT): emulator/cudart/env.def
	@mkdir -p $(@D)
	sed -n 's/^ENV(\([A-Z_]*\), "\([^"]*\)", "\(.*\)")$$/\1=\2\t\3/p' $< | \
	  awk -F'\t' '{ printf "  %-24s  %s\n", $$1, $$2 }' > $@

# The tables of calls in the emulator's README, from the lists of those that are refused and the names
# that the libraries export. cudart-table-check says whether they are up to date.
CALLS_TABLE = awk -f emulator/cudart/table.awk -v total="$$(nm -D --defined-only $(EMU_SO) | grep -v Warpbook | \
  grep -c '_*cuda')" emulator/cudart/stubs.def
DRIVER_CALLS_TABLE = awk -f emulator/cudart/table.awk -v total="$$(nm -D --defined-only $(CUDRIVER_SO) | grep -c ' cu')" \
  -v code=CUDA_ERROR_NOT_SUPPORTED emulator/cudriver/stubs.def
CALLS_README = $(CALLS_TABLE) > $(B)/calls-table && $(DRIVER_CALLS_TABLE) > $(B)/driver-calls-table && \
  awk -v b=$(B) '/<!-- [a-z-]*calls: begin -->/ { print; f = b "/" substr($$2, 1, length($$2) - 1) "-table"; \
  while ((getline l < f) > 0) print l; skip = 1 } \
  /<!-- [a-z-]*calls: end -->/ { skip = 0 } !skip { print }' emulator/README.md

.PHONY: cudart-table cudart-table-check
cudart-table: $(EMU_SO) $(CUDRIVER_SO)
	@$(CALLS_README) > $(B)/emulator-readme && cp $(B)/emulator-readme emulator/README.md

cudart-table-check: $(EMU_SO) $(CUDRIVER_SO)
	@{ $(CALLS_README); } | diff emulator/README.md - >/dev/null || \
	  { echo "emulator/README.md is behind stubs.def: make cudart-table" >&2; exit 1; }
