# warpbook-replay: repeats a recording without the program that was recorded. It holds the emulator
# itself, since it looks inside.
REPLAY_SRC := $(wildcard emulator/debugger/replay/*.c)
REPLAY_OBJ := $(REPLAY_SRC:%.c=$(B)/obj/%.o)
REPLAY     := $(B)/emulator/warpbook-replay

all: $(REPLAY)

$(REPLAY): $(REPLAY_OBJ) $(EMU_AR) $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -o $@ $(REPLAY_OBJ) $(EMU_AR) $(EMU_LIBS) $(EMU_LIBS_EXTRA)

# warpbook-judge: repeats the recording of a submission for `warpbook grade`.
JUDGE_SRC := $(wildcard emulator/debugger/judge/*.c)
JUDGE_OBJ := $(JUDGE_SRC:%.c=$(B)/obj/%.o) $(filter-out %/main.o,$(REPLAY_OBJ))
JUDGE     := $(B)/emulator/warpbook-judge

all: $(JUDGE)

$(JUDGE): $(JUDGE_OBJ) $(EMU_AR) $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -o $@ $(JUDGE_OBJ) $(EMU_AR) $(EMU_LIBS) $(EMU_LIBS_EXTRA)

# Unit tests of both look inside.
$(B)/tests/unit/replay/%: $(B)/obj/tests/unit/replay/%.o $(filter-out %/main.o,$(REPLAY_OBJ)) $(EMU_AR)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -o $@ $^ $(EMU_LIBS) $(EMU_LIBS_EXTRA) -lcmocka
$(B)/tests/unit/judge/%: $(B)/obj/tests/unit/judge/%.o $(filter-out %/main.o,$(JUDGE_OBJ)) $(EMU_AR)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -o $@ $^ $(EMU_LIBS) $(EMU_LIBS_EXTRA) -lcmocka
