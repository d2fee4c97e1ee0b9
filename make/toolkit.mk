# make test-toolkit-12   another toolkit than the one that all is built with: WARPBOOK_TOOLKIT_12=FOLDER
.PHONY: test-toolkit-12
test-toolkit-12: all
	@prove -v --exec '' tests/toolkit/try-toolkit-12
