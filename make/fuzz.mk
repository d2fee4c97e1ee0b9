# make fuzz           every reader of foreign data, on many damaged inputs, with ASan and UBSan; what of it
#                     the inputs reached; then random kernels (fuzz-passes.mk). FUZZ_TIMES=N: N times as many
# make fuzz-NAME      one of them, with as many inputs as `make test` tries
#
# NAME_SRC: what is compiled beside tests/fuzz/fuzz_NAME.c; the first NAME_OWN are the reader, whose lines count.
# NAME_COUNT: how many inputs `make test` tries. NAME_FILES: what else the program reads.
FUZZ_TARGETS := fatbin adopt ptx recording findings submissions tables requests answers
FUZZ_TIMES   ?= 10
# The runner's base, whole: what one of its files needs of another changes too often to be listed here.
BASE         := $(sort $(wildcard runner/base/*.c))
BASE_LIBS    := -ljansson -lelf -lm

fatbin_OWN     := 1
fatbin_SRC     := emulator/cudart/code/fatbin.c emulator/cudart/core/machine.c
fatbin_LIBS    := -lzstd -llz4 -lelf
fatbin_COUNT   := 200000
adopt_OWN       := 1
adopt_SRC       := emulator/adopt/elf_image.c emulator/adopt/function_names.c
adopt_COUNT     := 100000
ptx_OWN        := 99
ptx_SRC        := $(wildcard emulator/ptx/*.c emulator/ptx/*/*.c)
ptx_LIBS       := -lm -lpthread
ptx_COUNT      := 6000
ptx_FILES      := $(abspath $(wildcard tests/fuzz/corpus/ptx/* tests/ptx/corpus/*.ptx))
recording_OWN  := 4
recording_SRC  := $(addprefix emulator/debugger/recording/,reader.c item.c hash.c) emulator/debugger/replay/check_recording.c
recording_LIBS := -lzstd
recording_COUNT := 2000
findings_OWN   := 1
findings_SRC   := runner/judge/findings.c $(BASE)
findings_LIBS  := $(BASE_LIBS)
findings_COUNT := 40000
submissions_OWN     := 2
submissions_SRC     := $(addprefix runner/class/,submissions.c systems.c upload.c csv.c roster.c encoding.c) $(BASE)
submissions_LIBS    := -larchive $(BASE_LIBS)
submissions_COUNT   := 4000
tables_OWN     := 5
tables_SRC     := runner/base/table.c runner/book/rubric.c $(addprefix runner/class/,csv.c roster.c) runner/judge/state.c \
                  runner/judge/history.c runner/book/metrics.c runner/class/encoding.c runner/judge/verdict_kind.c $(BASE)
tables_LIBS    := $(BASE_LIBS)
tables_COUNT   := 16000

requests_OWN   := 1
requests_SRC   := runner/site/request.c $(BASE)
requests_LIBS  := $(BASE_LIBS)
requests_COUNT := 40000
answers_OWN    := 2
answers_SRC    := runner/step/answer_text.c runner/step/answer.c $(BASE)
answers_LIBS   := $(BASE_LIBS)
answers_COUNT  := 40000

FUZZ_CC  = $(CC) $(CSTD) -O1 -g $(WARN) -DFUZZ_MAIN -I$(CURDIR) -I$(CUDA)/include
FUZZ_SAN = -fsanitize=address,undefined -fno-sanitize-recover=undefined

# A program below $(B)/fuzz, and one that counts lines. Both run in a directory of their own.
.PHONY: fuzz fuzz-coverage $(FUZZ_TARGETS:%=fuzz-%)
define FUZZ_RULES
$(B)/fuzz/fuzz_$(1): tests/fuzz/fuzz_$(1).c tests/fuzz/fuzz.h $$($(1)_SRC) $$(wildcard $$(addsuffix *.h,$$(sort $$(dir $$($(1)_SRC)))))
	@mkdir -p $$(@D)
	$$(call say,FUZZ ,$$<)
	$$(Q)$$(FUZZ_CC) $$(FUZZ_SAN) -o $$@ $$(filter %.c,$$^) $$($(1)_LIBS)

fuzz-$(1): $(B)/fuzz/fuzz_$(1)
	@t=$$$$(mktemp -d) && cd $$$$t && $$(abspath $$<) $$($(1)_COUNT) 1 $$($(1)_FILES); rc=$$$$?; rm -rf $$$$t; exit $$$$rc

fuzz-coverage: fuzz-coverage-$(1)
.PHONY: fuzz-coverage-$(1)
fuzz-coverage-$(1): $(B)/fuzz/fuzz_$(1)
	@tests/fuzz/coverage $(1) $(B)/fuzz/coverage/$(1) \
	  "$$(FUZZ_CC) --coverage $$(sort $$(abspath tests/fuzz/fuzz_$(1).c $$($(1)_SRC))) $$($(1)_LIBS)" \
	  $$$$(($$($(1)_COUNT) * $(FUZZ_TIMES))) $$(abspath $$<) "$$(wordlist 1,$$($(1)_OWN),$$($(1)_SRC))" $$($(1)_FILES)
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call FUZZ_RULES,$(t))))

fuzz: fuzz-coverage
