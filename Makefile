# warpbook: everything that is built lies under build/, apart from ./warpbook itself.
#
#   make run    set up what is missing, build, start the workbook
#   make test   set up what is missing, build, run the tests; make test-all runs those too that take long
#   make check  the fast part of the tests
#   make        build only
#   make book   the book as one HTML and one PDF file, below build/book
#   make site   the course as pages in DIR=build/site, to be put on a host, or for `warpbook site`
#   make slides CHAPTER=6    its slides likewise; ORDER=FILE: in an order of your own (demo --order)
#   make bench | bench-gpu | bench-recordings | bench-class | bench-whole-class | bench-verdict | lint | format | fuzz | asan | handout DIR=... | clean

SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

CC       ?= cc
CUDA     ?= $(firstword $(wildcard /usr/local/cuda /opt/cuda /usr/lib/nvidia-cuda-toolkit) /usr/local/cuda)
NVCC     ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(CUDA)/bin/nvcc)
B        := build
# The tests and benchmarks read it too: tests/lib/build.sh.
export WARPBOOK_BUILD := $(B)
OPT      ?= -O3
SAN      ?=
CSTD     := -std=c17 -D_GNU_SOURCE
WARN     := -Wall -Wextra -Wshadow -Wcast-qual
# One rounding an operation; vector code for lane loops.
EMUFP    := -ffp-contract=off -fno-math-errno -fno-trapping-math
DEPS      = -MMD -MP
# One short line a step; make V=1 shows the commands.
Q        := $(if $(V),,@)
say       = $(if $(V),,@echo "  $(1)  $(2)")
CFLAGS_ALL = $(CSTD) $(OPT) -g $(WARN) $(SAN) $(CPPFLAGS) $(CFLAGS)

# A toolkit that is too old or broken ends all before the build begins. The libraries are those of toolkits 12 and 13
# whichever is installed, if its headers are of 12.4 or newer: emulator/toolkit.
NVCC_SAYS := $(if $(shell command -v $(NVCC) 2>/dev/null),$(or $(shell $(NVCC) --version 2>/dev/null | \
                    sed -n 's/.*release \([0-9]*\)\..*/\1/p'),nothing))
CUDA_H    := $(firstword $(wildcard $(CUDA)/include/cuda.h /usr/include/cuda.h))
HEADERS   := $(if $(CUDA_H),$(shell sed -n '/^\#define CUDA_VERSION /{s///p;q}' $(CUDA_H)))
instead   := install the CUDA Toolkit 12.4 or newer, or say where it is with NVCC=.../bin/nvcc CUDA=...
$(if $(filter nothing,$(NVCC_SAYS)),$(error $(NVCC) does not say its version, as nvcc does: $(instead)))
$(if $(filter 8 9 10 11,$(NVCC_SAYS)),$(error $(NVCC) is of CUDA Toolkit $(NVCC_SAYS), which is too old: $(instead)))
$(if $(shell [ $(or $(HEADERS),12040) -ge 12040 ] || echo old),$(error $(CUDA_H) is of CUDA Toolkit $(shell \
  expr $(HEADERS) / 1000).$(shell expr $(HEADERS) % 1000 / 10), which lacks types that are needed: $(instead)))

# The processor that is built for, which need not be this machine's.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))

# What every object depends on besides its sources: the compiler and its flags, kept in a file that is
# rewritten when they change. Likewise the names of all sources, for what is linked: a source that is
# gone leaves no newer file. A compiler counts by its version, not by its name.
keep = @mkdir -p $(@D) && printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) > $@
FLAGS   := $(B)/flags
SOURCES := $(B)/sources
.PHONY: FORCE
$(FLAGS): FORCE
	$(call keep,"$$($(CC) --version | sed '1s/^[^ ]* //;q')" '$(CFLAGS_ALL) $(EMUFP) $(LDFLAGS)' '$(CUDA)')
$(SOURCES): FORCE
	$(call keep,$(EMU_ALL) $(RUN_SRC))

# --- emulator -----------------------------------------------------------------------------------
# The rooms below exec/ hold the instruction handlers: compiled once for each level of vector
# instructions.
ifeq ($(MACHINE),x86_64)
ISA_LEVELS := v1 v3 v4
else
ISA_LEVELS := v1
endif
ISA_FLAGS_v1 :=
ISA_FLAGS_v3 := -march=x86-64-v3
ISA_FLAGS_v4 := -march=x86-64-v4 -mprefer-vector-width=512

EMU_ALL  := $(sort $(wildcard emulator/*/*.c emulator/*/*/*.c))
EMU_EXEC := $(wildcard emulator/exec/*/*.c)
# The driver API is a library of its own: make/cudriver.mk; the replayer a program: make/debugger.mk.
EMU_SRC  := $(filter-out $(EMU_EXEC) emulator/cudriver/% emulator/debugger/replay/% emulator/debugger/judge/% \
                         emulator/debugger/interposer/% emulator/adopt/% emulator/cudart12/% emulator/libraries/%,$(EMU_ALL))
EMU_DATA := $(wildcard emulator/timing/profiles/*.profile)
EMU_OBJ  := $(EMU_SRC:%.c=$(B)/obj/%.o) \
            $(foreach l,$(ISA_LEVELS),$(EMU_EXEC:%.c=$(B)/obj/%.$(l).o))
EMU_LIBS := -lzstd -llz4 -ldw -lelf -lm -lpthread -ldl
EMU_AR   := $(B)/emulator/libemulator.a
EMU_SO   := $(B)/emulator/libcudart.so.13

$(B)/obj/emulator/%.o: emulator/%.c $(FLAGS)
	@mkdir -p $(@D)
	$(call say,CC   ,$<)
	$(Q)$(CC) $(CFLAGS_ALL) $(EMUFP) $(KEEP_FRAMES) -fPIC -fvisibility=hidden -I$(CUDA)/include $(DEPS) -c $< -o $@

# Reports name the call that the program made: cudaMallocHost shall not vanish behind cudaHostAlloc.
$(B)/obj/emulator/cudart/%.o: KEEP_FRAMES := -fno-optimize-sibling-calls

# Which of them there are, for what chooses between them or tries each.
$(B)/levels: FORCE
	$(call keep,'$(ISA_LEVELS)')
LEVELS_O := $(B)/obj/emulator/exec/level.o $(B)/obj/tests/unit/sm/test_sm_lanes_int.o \
            $(B)/obj/tests/unit/sm/test_sm_lanes_float.o $(B)/obj/tests/unit/sm/test_sm_sums.o
$(LEVELS_O): $(B)/levels
$(LEVELS_O): CFLAGS_ALL += $(if $(filter v4,$(ISA_LEVELS)),-DEXEC_VECTOR_LEVELS)

define ISA_RULE
$(B)/obj/emulator/exec/%.$(1).o: emulator/exec/%.c $(FLAGS)
	@mkdir -p $$(@D)
	$$(call say,CC $(1),$$<)
	$$(Q)$$(CC) $$(CFLAGS_ALL) $(EMUFP) $$(ISA_FLAGS_$(1)) -DEXEC_ISA=$(1) -fPIC -fvisibility=hidden $(DEPS) -c $$< -o $$@
endef
$(foreach l,$(ISA_LEVELS),$(eval $(call ISA_RULE,$(l))))

$(B)/obj/emulator/timing/builtin.o: $(EMU_DATA)

# What a library exports, from its rows of calls.
CALLS_AWK := emulator/cudart/entry/calls.awk
MAP_AWK   := emulator/cudart/entry/map.awk
EMU_MAP   := $(B)/emulator/libcudart.map
$(EMU_MAP): emulator/cudart/entry/calls.def $(CALLS_AWK) $(MAP_AWK)
	@mkdir -p $(@D)
	$(Q)awk -v version=libcudart.so.13 -f $(CALLS_AWK) -f $(MAP_AWK) $< > $@

$(EMU_SO): $(EMU_OBJ) $(EMU_MAP) $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -shared $(if $(SAN),,-Wl,-z,defs) -Wl,-z,now -Wl,-z,nodelete \
	  -Wl,-soname,libcudart.so.13 \
	  -Wl,--version-script=$(EMU_MAP) -o $@ $(EMU_OBJ) $(EMU_LIBS) $(EMU_LIBS_EXTRA)

# The same objects for tests and benchmarks that look inside.
$(EMU_AR): $(EMU_OBJ) $(SOURCES)
	@mkdir -p $(@D) && rm -f $@
	$(call say,AR   ,$@)
	$(Q)$(AR) rcs $@ $(EMU_OBJ)

# --- runner -------------------------------------------------------------------------------------
# The workbook and the programs that it starts, each with rooms of its own (CONTRIBUTING.md lists them), over a
# library of those that all share.
RUN_SRC  := $(wildcard runner/*/*.c)
RUN_OBJ  := $(RUN_SRC:%.c=$(B)/obj/%.o)
RUN_LIBS := -lncursesw -lcmark-gfm -lcmark-gfm-extensions -ljansson -lseccomp -larchive -lelf -lm -lpthread
objects_of = $(filter $(addprefix $(B)/obj/runner/,$(addsuffix /%,$(1))),$(RUN_OBJ))

SCREEN_ROOMS := screen
STUDY_ROOMS  := study
RUNS_ROOMS   := runs
GRADE_ROOMS  := grade submission class similar slurm pages
SLIDES_ROOMS := slides
STEP_ROOMS   := step
EXEC_ROOMS   := exec
PAGE_ROOMS   := page
DEV_ROOMS    := dev
SITE_ROOMS   := site
RUN_AR       := $(B)/runner/libwarpbook.a
RUN_AR_OBJ   := $(filter-out $(call objects_of,$(SCREEN_ROOMS) $(STUDY_ROOMS) $(RUNS_ROOMS) $(GRADE_ROOMS) $(SLIDES_ROOMS) $(STEP_ROOMS) $(EXEC_ROOMS) $(PAGE_ROOMS) $(DEV_ROOMS) $(SITE_ROOMS)),$(RUN_OBJ))

$(B)/obj/runner/%.o: runner/%.c $(FLAGS)
	@mkdir -p $(@D)
	$(call say,CC   ,$<)
	$(Q)$(CC) $(CFLAGS_ALL) $(DEPS) -c $< -o $@

$(RUN_AR): $(RUN_AR_OBJ) $(SOURCES)
	@mkdir -p $(@D) && rm -f $@
	$(call say,AR   ,$@)
	$(Q)$(AR) rcs $@ $(RUN_AR_OBJ)

# ./warpbook, or below B= beside everything else; the others in libexec/.
WARPBOOK := $(if $(filter build,$(B)),warpbook,$(B)/warpbook)
LIBEXEC  := $(addprefix $(B)/libexec/warpbook-,study runs grade slides step exec page dev site)
$(WARPBOOK):                 $(call objects_of,$(SCREEN_ROOMS))
$(B)/libexec/warpbook-study: $(call objects_of,$(STUDY_ROOMS))
$(B)/libexec/warpbook-runs:  $(call objects_of,$(RUNS_ROOMS))
$(B)/libexec/warpbook-grade: $(call objects_of,$(GRADE_ROOMS))
$(B)/libexec/warpbook-slides: $(call objects_of,$(SLIDES_ROOMS))
$(B)/libexec/warpbook-step:  $(call objects_of,$(STEP_ROOMS))
$(B)/libexec/warpbook-exec:  $(call objects_of,$(EXEC_ROOMS))
$(B)/libexec/warpbook-page:  $(call objects_of,$(PAGE_ROOMS))
$(B)/libexec/warpbook-dev:   $(call objects_of,$(DEV_ROOMS))
$(B)/libexec/warpbook-site:  $(call objects_of,$(SITE_ROOMS))
$(WARPBOOK) $(LIBEXEC): $(RUN_AR) $(SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(LDFLAGS) $(SAN) -o $@ $(filter %.o,$^) $(RUN_AR) -Wl,--as-needed $(RUN_LIBS)

# What builds a lab in less time than nvcc alone does.
BESIDE := $(B)/emulator/warpbook-nvcc
$(BESIDE): runner/run/warpbook-nvcc
	@mkdir -p $(@D)
	$(Q)install $< $@

# --- the goals that people type -----------------------------------------------------------------
.PHONY: all run test test-all check setup clean
all: $(EMU_SO) $(WARPBOOK) $(LIBEXEC) $(BESIDE)

setup:
	@runner/setup.sh $(TESTS_NEED)

run: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(if $(filter /%,$(WARPBOOK)),,./)$(WARPBOOK)

# Which suites each of them runs: tests/tiers. Besides what everybody needs they need tests/packages.
test test-all check: TESTS_NEED = $(shell cat tests/packages)
test test-all check: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@tests/run $(if $(filter test,$@),,--$(@:test-%=%))

clean:
	rm -rf $(B) $(WARPBOOK)

-include make/*.mk
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
