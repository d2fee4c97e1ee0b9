# warpbook-replay: repeats a recording without the program that was recorded. It holds the emulator
# itself, since it looks inside.
REPLAY_SRC := $(wildcard emulator/debugger/replay/*.c)
REPLAY_OBJ := $(REPLAY_SRC:%.c=$(B)/obj/%.o)
REPLAY     := $(B)/emulator/warpbook-replay

all: $(REPLAY)

$(REPLAY): $(REPLAY_OBJ) $(EMU_AR)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(SAN) -o $@ $(REPLAY_OBJ) $(EMU_AR) $(EMU_LIBS) $(EMU_LIBS_EXTRA)
