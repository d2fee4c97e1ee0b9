# make book       the whole book as build/book/warpbook.html and build/book/warpbook.pdf; SOLUTIONS=1: with the
#                 solutions. Nothing is installed: without WeasyPrint there is the HTML, and the end is exit 3.
pdf_of = @if command -v weasyprint >/dev/null; then weasyprint -q $(1).html $(1).pdf.part && mv $(1).pdf.part $(1).pdf && echo $(1).html, $(1).pdf; \
	else echo "$(1).html; for the PDF, too: runner/setup.sh weasyprint" >&2; exit 3; fi

.PHONY: book
book:
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@mkdir -p $(B)/book
	$(call say,HTML ,$(B)/book/warpbook.html)
	$(Q)WARPBOOK=$(abspath $(WARPBOOK)) paper/book $(if $(SOLUTIONS),--solutions) $(B)/book/warpbook.html
	$(call pdf_of,$(B)/book/warpbook)

# make slides CHAPTER=6    the slides of a chapter, or of several, as build/book/slides.html and slides.pdf;
#                 ORDER=FILE: those that FILE lists, in its order
.PHONY: slides
slides:
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@mkdir -p $(B)/book
	@[ -n "$(CHAPTER)" ] || { echo "say which: make slides CHAPTER=6" >&2; exit 2; }
	$(Q)WARPBOOK=$(abspath $(WARPBOOK)) paper/book $(if $(SOLUTIONS),--solutions) $(if $(ORDER),--order $(abspath $(ORDER))) $(B)/book/slides.html $(CHAPTER)
	$(call pdf_of,$(B)/book/slides)

# make site       the whole course as static pages in DIR (build/site), with a page of each chapter's solution as it runs;
#                 SOLUTIONS=1: of the assignments' too; LESSONS=1: of none. `warpbook site` serves them.
.PHONY: site
site: DIR = $(B)/site
site:
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@mkdir -p $(DIR)
	$(call say,SITE ,$(DIR))
	$(Q)NVCC=$(NVCC) WARPBOOK=$(abspath $(WARPBOOK)) WARPBOOK_PARTS="$(abspath $(B)/libexec/warpbook-page $(EMU_SO))" paper/site $(if $(SOLUTIONS),--solutions) $(if $(LESSONS),--lessons) $(DIR)
