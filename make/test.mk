# Unit tests: one cmocka program a file, linked with the room it is named for.
#   make units      build them
#   make asan       the unit tests again with AddressSanitizer and UBSan, in build/asan
#   make tsan       the unit tests and the runtime's programs with ThreadSanitizer, in build/tsan
UNIT_SRC := $(wildcard tests/unit/*/test_*.c)
UNIT_BIN := $(UNIT_SRC:%.c=$(B)/%)

$(B)/obj/tests/%.o: tests/%.c $(FLAGS)
	@mkdir -p $(@D)
	$(call say,CC   ,$<)
	$(Q)$(CC) $(CFLAGS_ALL) -I. -Itests/lib -I$(CUDA)/include $(DEPS) -c $< -o $@

$(B)/tests/unit/runner/%: $(B)/obj/tests/unit/runner/%.o $(filter-out %/main.o,$(RUN_OBJ))
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -o $@ $^ $(RUN_LIBS) -lcmocka

$(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(EMU_AR)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -o $@ $^ $(EMU_LIBS) $(EMU_LIBS_EXTRA) -lcmocka

.PHONY: units asan tsan tsan-units
.SECONDARY: $(UNIT_SRC:%.c=$(B)/obj/%.o)
# ptxdump, too: suites that run side by side use it.
units: $(UNIT_BIN) $(B)/ptxdump

asan:
	@$(MAKE) --no-print-directory B=$(B)/asan OPT=-O1 ISA_LEVELS=$(firstword $(ISA_LEVELS)) \
	  SAN='-fsanitize=address,undefined -fno-sanitize-recover=undefined' units
	@tests/run --units $(B)/asan/tests/unit

# nvcc compiles the programs, so that their own accesses are not seen: those of the runtime, of the
# emulated device and between its host threads are.
tsan tsan-units: export TSAN_OPTIONS = handle_segv=0:die_after_fork=0
tsan-units:
	@$(MAKE) --no-print-directory B=$(B)/tsan OPT=-O1 ISA_LEVELS=$(firstword $(ISA_LEVELS)) SAN=-fsanitize=thread units
	@tests/run --units $(B)/tsan/tests/unit

tsan: tsan-units
	@$(MAKE) --no-print-directory B=$(B)/tsan OPT=-O1 ISA_LEVELS=$(firstword $(ISA_LEVELS)) SAN=-fsanitize=thread \
	  $(B)/tsan/emulator/libcudart.so.13
	@WARPBOOK_BUILD=$(B)/tsan WARPBOOK_PRELOAD=$$($(CC) -print-file-name=libtsan.so) \
	  tests/api/runtime/run-programs
