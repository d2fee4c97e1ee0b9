# make lint     clang-format, clang-tidy, cppcheck and shellcheck; needs these four packages. Files that
#               passed are not looked at again until they change.
# make format   lay the C sources out as .clang-format says
C_FILES  := $(wildcard emulator/*/*.[ch] emulator/*/*/*.[ch] runner/*/*.[ch] tests/unit/*/*.[ch] tests/lib/*.h tests/fuzz/*.[ch])
SH_FILES  = $(shell git grep -lE '^\#!.*(bash|/sh)' -- . ':!*.c' ':!*.md')
TIDY      := $(patsubst %.c,$(B)/lint/%.tidy,$(EMU_ALL) $(RUN_SRC))
LINT_INCLUDES := -std=c17 -D_GNU_SOURCE -DSM_ISA=v1 -I$(CUDA)/include

.PHONY: lint format lint-format lint-shell lint-cppcheck lint-tidy
format:
	clang-format -i $(C_FILES)

lint:
	@$(MAKE) --no-print-directory -k -j$$(nproc) lint-tidy lint-cppcheck lint-shell lint-format

lint-format:
	$(Q)clang-format --dry-run -Werror $(C_FILES)

lint-shell:
	$(Q)shellcheck -x -P SCRIPTDIR -S warning $(SH_FILES)

lint-cppcheck:
	@mkdir -p $(B)/lint/cppcheck
	$(Q)cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability \
	  --inline-suppr --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches -j 2 \
	  --cppcheck-build-dir=$(B)/lint/cppcheck -DSM_ISA=v1 -I. emulator runner

lint-tidy: $(TIDY)

$(B)/lint/%.tidy: %.c .clang-tidy
	@mkdir -p $(@D)
	$(call say,TIDY ,$<)
	$(Q)clang-tidy --quiet $< -- $(LINT_INCLUDES) 2>$@.log >$@.said || { cat $@.said; exit 1; }
	$(Q)$(CC) $(LINT_INCLUDES) -MM -MP -MT $@ -MF $@.d $< && touch $@

-include $(shell find $(B)/lint -name '*.tidy.d' 2>/dev/null)
