# make lint     clang-format, clang-tidy, cppcheck and shellcheck; needs these four packages
# make format   lay the C sources out as .clang-format says
C_FILES  := $(wildcard emulator/*/*.[ch] emulator/*/*/*.[ch] runner/*/*.[ch] tests/unit/*/*.[ch] tests/lib/*.h tests/fuzz/*.[ch])
SH_FILES  = $(shell git grep -lE '^\#!.*(bash|/sh)' -- . ':!*.c' ':!*.md')

.PHONY: lint format
format:
	clang-format -i $(C_FILES)

lint:
	clang-format --dry-run -Werror $(C_FILES)
	shellcheck -x -P SCRIPTDIR -S warning $(SH_FILES)
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability \
	  --inline-suppr --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches -j 2 \
	  -DSM_ISA=v1 -I. emulator runner
	clang-tidy --quiet --warnings-as-errors='*' \
	  --checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.*,-clang-analyzer-valist.Uninitialized,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-implicit-widening-of-multiplication-result,-bugprone-narrowing-conversions,-bugprone-macro-parentheses,-bugprone-branch-clone,-bugprone-assignment-in-if-condition,-bugprone-sizeof-expression' \
	  $(filter %.c,$(wildcard emulator/*/*.c emulator/*/*/*.c runner/*/*.c)) -- -std=c17 -D_GNU_SOURCE -DSM_ISA=v1 -I$(CUDA)/include
