# libcuda.so.1: the driver API on the emulated device, beside libcudart, which it works through and
# finds before one that LD_LIBRARY_PATH names (DT_RPATH). libcuda.so is for `-lcuda`.
CUDRIVER_SRC := $(wildcard emulator/cudriver/*.c)
CUDRIVER_OBJ := $(CUDRIVER_SRC:%.c=$(B)/obj/%.o)
CUDRIVER_SO  := $(B)/emulator/libcuda.so.1

all: $(CUDRIVER_SO)

CUDRIVER_MAP := $(B)/emulator/libcuda.map
$(CUDRIVER_MAP): emulator/cudriver/calls.def $(wildcard emulator/cudriver/calls/*.def) $(CALLS_AWK) $(MAP_AWK)
	@mkdir -p $(@D)
	$(Q)awk -f $(CALLS_AWK) -f $(MAP_AWK) $< > $@

$(CUDRIVER_SO): $(CUDRIVER_OBJ) $(EMU_SO) $(CUDRIVER_MAP) $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -shared $(if $(SAN),,-Wl,-z,defs) -Wl,-soname,libcuda.so.1 \
	  -Wl,--version-script=$(CUDRIVER_MAP) -Wl,-rpath,'$$ORIGIN' \
	  -Wl,--disable-new-dtags -o $@ \
	  $(CUDRIVER_OBJ) $(EMU_SO)
	@ln -sf libcuda.so.1 $(@D)/libcuda.so
