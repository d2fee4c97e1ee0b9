# make page-bundle    the parts that all pages of `warpbook page` share, runner/page/assets, from runner/page/web, and those
#                     of the site, paper/assets, from paper/web
# make page-modules   what that and the tests in a browser need, from npm's registry, below build/
# make page-example   docs/example-missing-barrier.html, which the README names
# make test-browser   pages in a browser: Debian's Chromium, installed where that is permitted
PAGE_MODULES := $(B)/page/node_modules
PAGE_ASSETS  := $(wildcard runner/page/assets/*) runner/page/web/body.html

$(B)/obj/runner/walk/run_page_text.o: $(PAGE_ASSETS)

$(PAGE_MODULES)/.made: runner/page/web/package.json runner/page/web/package-lock.json
	@mkdir -p $(B)/page && cp $^ $(B)/page
	$(call say,NPM  ,$(PAGE_MODULES))
	$(Q)cd $(B)/page && npm ci --silent --ignore-scripts --no-audit --no-fund && touch node_modules/.made

.PHONY: page-modules page-bundle page-example test-browser
page-modules: $(PAGE_MODULES)/.made

page-bundle: page-modules
	$(Q)runner/page/bundle $(PAGE_MODULES)
	$(Q)paper/bundle $(PAGE_MODULES)

page-example: all
	@mkdir -p $(B)/page/example
	$(Q)tests/book/course/assemble tests/book/wrong/10-shared-reduction/no-barrier.todo \
	  chapters/10-shared-reduction/solution.cu > $(B)/page/example/no-barrier.cu
	$(Q)$(abspath $(WARPBOOK)) page -o docs/example-missing-barrier.html --text $(abspath $(B)/page/example/no-barrier.cu) 10 >/dev/null

test-browser: TESTS_NEED = $(shell cat tests/packages tests/browser/packages)
test-browser: setup
	@$(MAKE) --no-print-directory -j$$(nproc) all page-modules && WARPBOOK_NVCC=$(NVCC) $(MAKE) --no-print-directory site NVCC=$(CURDIR)/tests/lib/nvcc-kept
	@prove -v --exec '' tests/browser/try-browser tests/browser/try-site
