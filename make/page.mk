# make page-bundle    the parts that all pages of `warpbook page` share, runner/page/assets, from runner/page/web
# make page-modules   what that and the tests in a browser need, from npm's registry, below build/
# make test-browser   pages in a browser: Debian's Chromium, installed where that is permitted
PAGE_MODULES := $(B)/page/node_modules
PAGE_ASSETS  := $(wildcard runner/page/assets/*)

$(B)/obj/runner/page/output.o: $(PAGE_ASSETS)

$(PAGE_MODULES)/.made: runner/page/web/package.json runner/page/web/package-lock.json
	@mkdir -p $(B)/page && cp $^ $(B)/page
	$(call say,NPM  ,$(PAGE_MODULES))
	$(Q)cd $(B)/page && npm ci --silent --ignore-scripts --no-audit --no-fund && touch node_modules/.made

.PHONY: page-modules page-bundle test-browser
page-modules: $(PAGE_MODULES)/.made

page-bundle: page-modules
	$(Q)runner/page/bundle $(PAGE_MODULES)

test-browser: TESTS_NEED = $(shell cat tests/packages tests/browser/packages)
test-browser: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all page-modules
	@prove -v --exec '' tests/browser/try-browser
