# make lint           clang-format, clang-tidy, cppcheck and shellcheck; needs these four packages. Files that
#                     passed are not looked at again until they change.
# make lint-changed   the same of the files that differ from where this branch left SINCE (main): seconds
# make format         lay the C sources out as .clang-format says
C_FILES  := $(wildcard emulator/*/*.[ch] emulator/*/*/*.[ch] runner/*/*.[ch] tests/unit/*/*.[ch] tests/lib/*.h tests/fuzz/*.[ch])
SH_FILES  = $(shell git grep -lE '^\#!.*(bash|/sh)' -- . ':!*.c' ':!*.md')
# The interposer is code for x86-64 (interposer.mk).
TIDY      := $(patsubst %.c,$(B)/lint/%.tidy,$(filter-out $(if $(INTERPOSER),,emulator/debugger/interposer/%),$(EMU_ALL)) $(RUN_SRC))
LINT_INCLUDES := -std=c17 -D_GNU_SOURCE -DEXEC_ISA=v1 -DEXEC_VECTOR_LEVELS -I$(CUDA)/include $(if $(INTERPOSER),-I$(INTERPOSER_GEN)) -DLIBRARY_NAMES='"$(LIBRARIES_GEN)/cufft-names.def"' -I.
# The analyser follows at most so many states of a function: with its own 225000 it takes twice as long and
# says the same of these sources.
LINT_DEPTH := -Xclang -analyzer-config -Xclang max-nodes=100000
# The loops are those of jansson.h, which it does not read; the two files have rows of macros that it cannot.
# ctuuninitvar: an address that a function fills is no use of what lies there. __typeof is what base/list.h calls __typeof__,
# whose casts it cannot parse; other uses it can.
CPPCHECK  := cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability --inline-suppr \
             --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches --suppress=ctuuninitvar -DEXEC_ISA=v1 -I. \
             --suppress=syntaxError:emulator/cudart/graphs/graph_nodes.c --suppress=internalAstError:emulator/cudart12/calls.c \
             '-D__typeof(list)=void *' '-Djson_array_foreach(array,index,value)=while (next_of(array, &index, &value))' \
             '-Djson_object_foreach(object,key,value)=while (next_of(object, &key, &value))'
LINT_MAKE := $(MAKE) --no-print-directory -s -k -j$(shell nproc)

# What differs from where this branch left SINCE: committed, changed or new.
SINCE     ?= main
CHANGED    = $(shell git diff --name-only --diff-filter=d $$(git merge-base $(SINCE) HEAD 2>/dev/null || echo HEAD); \
                     git ls-files --others --exclude-standard)

.PHONY: lint lint-changed format lint-format lint-shell lint-cppcheck lint-tidy lint-nothing
format:
	clang-format -i $(C_FILES)

lint:
	@$(LINT_MAKE) lint-tidy lint-cppcheck lint-shell lint-format

lint-changed: c = $(filter $(C_FILES),$(CHANGED))
lint-changed:
	$(Q)[ -z "$(c)" ] || clang-format --dry-run -Werror $(c)
	$(Q)c='$(filter emulator/%.c runner/%.c,$(c))'; [ -z "$$c" ] || $(CPPCHECK) $$c
	@$(LINT_MAKE) $(filter $(TIDY),$(CHANGED:%.c=$(B)/lint/%.tidy)) \
	  $(patsubst %,$(B)/lint/%.shell,$(filter $(SH_FILES),$(CHANGED))) lint-nothing

lint-format: $(B)/lint/format
$(B)/lint/format: $(C_FILES) .clang-format
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $(filter %.c %.h,$(if $(filter .clang-format,$?),$^,$?)) && touch $@

lint-shell:
	@$(LINT_MAKE) $(patsubst %,$(B)/lint/%.shell,$(SH_FILES))
$(B)/lint/%.shell: % $(wildcard tests/lib/*.sh)
	@mkdir -p $(@D)
	$(Q)shellcheck -x -P SCRIPTDIR -S warning $< && touch $@

lint-cppcheck:
	@mkdir -p $(B)/lint/cppcheck
	$(Q)$(CPPCHECK) -j 2 --cppcheck-build-dir=$(B)/lint/cppcheck emulator runner

lint-tidy: $(TIDY)

lint-nothing:;

$(B)/lint/%.tidy: %.c .clang-tidy $(if $(INTERPOSER),$(INTERPOSER_GEN)/unheld.def) $(LIBRARIES_DEF)
	@mkdir -p $(@D)
	$(call say,TIDY ,$<)
	$(Q)clang-tidy --quiet $< -- $(LINT_INCLUDES) $(LINT_DEPTH) 2>$@.log >$@.said || { cat $@.said; exit 1; }
	$(Q)$(CC) $(LINT_INCLUDES) -MM -MP -MT $@ -MF $@.d $< && touch $@

-include $(shell find $(B)/lint -name '*.tidy.d' 2>/dev/null)
