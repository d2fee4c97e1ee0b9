# make tables   emulator/TABLES.md from the sheets of instructions and calls, and from the names that
#               the libraries export
TABLES      := emulator/TABLES.md
TABLES_DIR  := $(B)/tables
exported     = $$(nm -D --defined-only $(1) | grep -v Warpbook | grep -c $(2))
TABLES_TEXT  = mkdir -p $(TABLES_DIR) && \
  awk -f emulator/ptx/table.awk emulator/ptx/mods.def emulator/ptx/sets.def emulator/ptx/ops.def > $(TABLES_DIR)/instructions && \
  awk -f emulator/cudart/entry/table.awk -v total="$(call exported,$(EMU_SO),'_*cuda')" \
    emulator/cudart/entry/stubs.def > $(TABLES_DIR)/calls && \
  awk -f emulator/cudart/entry/table.awk -v total="$(call exported,$(CUDRIVER_SO),' cu')" \
    -v code=CUDA_ERROR_NOT_SUPPORTED emulator/cudriver/stubs.def > $(TABLES_DIR)/driver-calls && \
  awk -v dir=$(TABLES_DIR) '/^<!-- [a-z-]*: begin -->/ { print; f = dir "/" substr($$2, 1, length($$2) - 1); \
    while ((getline l < f) > 0) print l; skip = 1 } \
    /^<!-- [a-z-]*: end -->/ { skip = 0 } !skip { print }' $(TABLES) > $(TABLES_DIR)/all

.PHONY: tables tables-check
tables: $(EMU_SO) $(CUDRIVER_SO)
	@$(TABLES_TEXT) && cp $(TABLES_DIR)/all $(TABLES)

tables-check: $(EMU_SO) $(CUDRIVER_SO)
	@$(TABLES_TEXT) && cmp -s $(TABLES) $(TABLES_DIR)/all || \
	  { echo "$(TABLES) does not say what the sheets say: make tables" >&2; exit 1; }
