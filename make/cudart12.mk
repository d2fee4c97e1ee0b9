# libcudart.so.12: for programs built by toolkit 12. It works through libcudart.so.13 beside it, so that both are one
# device: a jump for each call, and calls of its own where the two differ.
CUDART12_SRC := $(wildcard emulator/cudart12/*.c)
CUDART12_OBJ := $(CUDART12_SRC:%.c=$(B)/obj/%.o) $(B)/obj/emulator/cudart12/jumps.o
CUDART12_DEF := emulator/cudart12/calls.def emulator/cudart/entry/calls.def
CUDART12_MAP := $(B)/emulator/libcudart12.map
CUDART12_SO  := $(B)/emulator/libcudart.so.12

all: $(CUDART12_SO)

$(B)/obj/emulator/cudart12/%.o: KEEP_FRAMES := -fno-optimize-sibling-calls
$(B)/obj/emulator/cudart12/jumps.o: emulator/cudart12/jumps.awk $(CUDART12_DEF)
	@mkdir -p $(@D)
	$(call say,AS   ,$<)
	$(Q)awk -v machine=$(MACHINE) -f $< $(CUDART12_DEF) > $(@:.o=.s) && $(CC) -c $(@:.o=.s) -o $@

$(CUDART12_MAP): $(CUDART12_DEF) $(CALLS_AWK) $(MAP_AWK)
	@mkdir -p $(@D)
	$(Q)awk -v version=libcudart.so.12 -f $(CALLS_AWK) -f $(MAP_AWK) $(CUDART12_DEF) > $@

$(CUDART12_SO): $(CUDART12_OBJ) $(EMU_SO) $(CUDART12_MAP) $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -shared $(if $(SAN),,-Wl,-z,defs) -Wl,-z,nodelete -Wl,-soname,libcudart.so.12 \
	  -Wl,--version-script=$(CUDART12_MAP) -Wl,-rpath,'$$ORIGIN' -Wl,--disable-new-dtags -o $@ \
	  $(CUDART12_OBJ) $(EMU_SO)
