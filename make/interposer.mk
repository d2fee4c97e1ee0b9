# libwarpbook-interposer.so: records what a program asks of the CUDA runtime library behind it, NVIDIA's on
# a GPU. It is loaded before that library (LD_PRELOAD), and exports only what it looks at.
ifeq ($(MACHINE),x86_64)
INTERPOSER_SRC := $(wildcard emulator/debugger/interposer/*.c)
INTERPOSER_OBJ := $(INTERPOSER_SRC:%.c=$(B)/obj/%.o) $(B)/obj/emulator/debugger/interposer/pass.o
INTERPOSER_GEN := $(B)/gen/interposer
INTERPOSER     := $(B)/emulator/libwarpbook-interposer.so
INTERPOSER_AWK := awk -v hooks=emulator/debugger/interposer/hooks.def -f $(CALLS_AWK) -f emulator/debugger/interposer/unheld.awk
INTERPOSER_DEF := emulator/cudart/entry/calls.def $(CALLS_AWK) $(wildcard emulator/debugger/interposer/*.awk emulator/debugger/interposer/*.def)

all: $(INTERPOSER)

$(INTERPOSER_GEN)/unheld.def: $(INTERPOSER_DEF)
	@mkdir -p $(@D)
	$(Q)$(INTERPOSER_AWK) -v what=names emulator/cudart/entry/calls.def > $@
$(INTERPOSER_GEN)/unheld.s.inc: $(INTERPOSER_DEF)
	@mkdir -p $(@D)
	$(Q)$(INTERPOSER_AWK) -v what=code emulator/cudart/entry/calls.def > $@
$(INTERPOSER_GEN)/interposer.map: $(INTERPOSER_GEN)/unheld.def
	$(Q)sed -n 's/^\(HOOK\|UNSUPPORTED_CALL\)(\(.*\))/        \2;/p' emulator/debugger/interposer/hooks.def $< | \
	  (echo 'libcudart.so.13 {' && echo '    global:' && cat && printf '    local:\n        *;\n};\n') > $@

$(B)/obj/emulator/debugger/interposer/unheld.o: $(INTERPOSER_GEN)/unheld.def
$(B)/obj/emulator/debugger/interposer/%.o: CFLAGS_ALL += -I$(INTERPOSER_GEN)
$(B)/obj/emulator/debugger/interposer/pass.o: emulator/debugger/interposer/pass.S $(INTERPOSER_GEN)/unheld.s.inc
	@mkdir -p $(@D)
	$(call say,AS   ,$<)
	$(Q)$(CC) -I$(INTERPOSER_GEN) -c $< -o $@

$(INTERPOSER): $(INTERPOSER_OBJ) $(EMU_AR) $(INTERPOSER_GEN)/interposer.map $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -shared -Wl,-z,nodelete -Wl,--version-script=$(INTERPOSER_GEN)/interposer.map -o $@ \
	  $(INTERPOSER_OBJ) $(EMU_AR) $(EMU_LIBS) $(EMU_LIBS_EXTRA)
endif
