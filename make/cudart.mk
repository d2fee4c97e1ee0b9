# The list of the emulator's variables, as text for people and for `warpbook exec --help`.
ENV_TXT := $(B)/emulator/warpbook-env.txt

all: $(ENV_TXT)

$(ENV_TXT): emulator/cudart/core/env.def
	@mkdir -p $(@D)
	sed -n 's/^ENV(\([A-Z_]*\), "\([^"]*\)", "\(.*\)")$$/\1=\2\t\3/p' $< | \
	  awk -F'\t' '{ printf "  %-24s  %s\n", $$1, $$2 }' > $@
