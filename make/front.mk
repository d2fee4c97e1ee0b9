# libwarpbook-front.so: records what a program asks of the CUDA runtime library behind it, NVIDIA's on
# a GPU. It is loaded before that library (LD_PRELOAD), and exports only what it looks at.
ifeq ($(MACHINE),x86_64)
FRONT_SRC := $(wildcard emulator/debugger/front/*.c)
FRONT_OBJ := $(FRONT_SRC:%.c=$(B)/obj/%.o) $(B)/obj/emulator/debugger/front/pass.o
FRONT_GEN := $(B)/gen/front
FRONT     := $(B)/emulator/libwarpbook-front.so
FRONT_AWK := awk -v hooks=emulator/debugger/front/hooks.def -f $(CALLS_AWK) -f emulator/debugger/front/unheld.awk
FRONT_DEF := emulator/cudart/entry/calls.def $(CALLS_AWK) $(wildcard emulator/debugger/front/*.awk emulator/debugger/front/*.def)

all: $(FRONT)

$(FRONT_GEN)/unheld.def: $(FRONT_DEF)
	@mkdir -p $(@D)
	$(Q)$(FRONT_AWK) -v what=names emulator/cudart/entry/calls.def > $@
$(FRONT_GEN)/unheld.s.inc: $(FRONT_DEF)
	@mkdir -p $(@D)
	$(Q)$(FRONT_AWK) -v what=code emulator/cudart/entry/calls.def > $@
$(FRONT_GEN)/front.map: $(FRONT_GEN)/unheld.def
	$(Q)sed -n 's/^\(HOOK\|UNSUPPORTED_CALL\)(\(.*\))/        \2;/p' emulator/debugger/front/hooks.def $< | \
	  (echo 'libcudart.so.13 {' && echo '    global:' && cat && printf '    local:\n        *;\n};\n') > $@

$(B)/obj/emulator/debugger/front/unheld.o: $(FRONT_GEN)/unheld.def
$(B)/obj/emulator/debugger/front/%.o: CFLAGS_ALL += -I$(FRONT_GEN)
$(B)/obj/emulator/debugger/front/pass.o: emulator/debugger/front/pass.S $(FRONT_GEN)/unheld.s.inc
	@mkdir -p $(@D)
	$(call say,AS   ,$<)
	$(Q)$(CC) -I$(FRONT_GEN) -c $< -o $@

$(FRONT): $(FRONT_OBJ) $(EMU_AR) $(FRONT_GEN)/front.map $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -shared -Wl,-z,nodelete -Wl,--version-script=$(FRONT_GEN)/front.map -o $@ \
	  $(FRONT_OBJ) $(EMU_AR) $(EMU_LIBS) $(EMU_LIBS_EXTRA)
endif
