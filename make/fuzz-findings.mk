# make fuzz-findings   a bounded number of damaged files of reports, with ASan and UBSan
FUZZ_FINDINGS     := $(B)/fuzz/fuzz_findings
FUZZ_FINDINGS_SRC := tests/fuzz/fuzz_findings.c runner/judge/findings.c \
                     $(addprefix runner/base/,files.c leftovers.c text.c)

.PHONY: fuzz-findings fuzz
$(FUZZ_FINDINGS): $(FUZZ_FINDINGS_SRC) tests/fuzz/fuzz.h runner/judge/findings.h
	@mkdir -p $(@D)
	$(CC) $(CSTD) -O1 -g $(WARN) -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	  -DFUZZ_MAIN -I. -o $@ $(FUZZ_FINDINGS_SRC) -ljansson -lm

fuzz-findings: $(FUZZ_FINDINGS)
	$< 40000

fuzz: fuzz-findings
