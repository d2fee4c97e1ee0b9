# libwarpbook-adopt.so: redirects the runtime that nvcc links into a program by default to the emulator's (LD_AUDIT).
# It needs nothing but libc: every process below `warpbook exec` loads it, with a libc of its own.
ADOPT_SRC := $(wildcard emulator/adopt/*.c)
ADOPT_OBJ := $(ADOPT_SRC:%.c=$(B)/obj/%.o) $(B)/obj/emulator/adopt/jump.o
ADOPT     := $(B)/emulator/libwarpbook-adopt.so

all: $(ADOPT)

# A sanitizer's library cannot be in a second namespace.
$(ADOPT_OBJ): override SAN :=
$(B)/obj/emulator/adopt/jump.o: emulator/adopt/jump.S emulator/adopt/function_names.h
	@mkdir -p $(@D)
	$(call say,AS   ,$<)
	$(Q)$(CC) -c $< -o $@

$(ADOPT): $(ADOPT_OBJ) $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs -o $@ $(ADOPT_OBJ)
