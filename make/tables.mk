# make tables   emulator/TABLES.md from the sheets of instructions and calls, and from the profiles
TABLES      := emulator/TABLES.md
TABLES_DIR  := $(B)/tables
CALLS_TABLE := awk -f $(CALLS_AWK) -f emulator/cudart/entry/table.awk
TABLES_TEXT  = mkdir -p $(TABLES_DIR) && \
  awk -f emulator/ptx/table.awk emulator/ptx/mods.def emulator/ptx/sets.def emulator/ptx/ops.def > $(TABLES_DIR)/instructions && \
  $(CALLS_TABLE) -v code=cudaErrorNotSupported emulator/cudart/entry/calls.def > $(TABLES_DIR)/calls && \
  $(CALLS_TABLE) -v code=CUDA_ERROR_NOT_SUPPORTED emulator/cudriver/calls.def > $(TABLES_DIR)/driver-calls && \
  awk -f emulator/counters/table.awk emulator/counters/counters.def > $(TABLES_DIR)/counters && \
  awk -f emulator/timing/table.awk emulator/timing/cycles.def emulator/timing/profile.def \
    emulator/timing/profiles/h200.profile $(filter-out %/h200.profile,$(sort $(EMU_DATA))) > $(TABLES_DIR)/profiles && \
  awk -v dir=$(TABLES_DIR) '/^<!-- [a-z-]*: begin -->/ { print; f = dir "/" substr($$2, 1, length($$2) - 1); \
    while ((getline l < f) > 0) print l; skip = 1 } \
    /^<!-- [a-z-]*: end -->/ { skip = 0 } !skip { print }' $(TABLES) > $(TABLES_DIR)/all

.PHONY: tables tables-check
tables:
	@$(TABLES_TEXT) && cp $(TABLES_DIR)/all $(TABLES)

tables-check:
	@$(TABLES_TEXT) && cmp -s $(TABLES) $(TABLES_DIR)/all || \
	  { echo "$(TABLES) does not say what the sheets say: make tables" >&2; exit 1; }
