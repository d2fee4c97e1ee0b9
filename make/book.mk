# make book       the whole book as build/book/warpbook.html and build/book/warpbook.pdf; SOLUTIONS=1: with the
#                 solutions. What it needs besides is installed where that is permitted, else named (exit 3).
.PHONY: book
book:
	@runner/setup.sh weasyprint
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@mkdir -p $(B)/book
	$(call say,HTML ,$(B)/book/warpbook.html)
	$(Q)WARPBOOK=$(abspath $(WARPBOOK)) paper/book $(if $(SOLUTIONS),--solutions) $(B)/book/warpbook.html
	$(call say,PDF  ,$(B)/book/warpbook.pdf)
	$(Q)weasyprint -q $(B)/book/warpbook.html $(B)/book/warpbook.pdf.part
	$(Q)mv $(B)/book/warpbook.pdf.part $(B)/book/warpbook.pdf

# make slides CHAPTER=6    the slides of a chapter, or of several, as build/book/slides.html and slides.pdf
.PHONY: slides
slides:
	@runner/setup.sh weasyprint
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@mkdir -p $(B)/book
	@[ -n "$(CHAPTER)" ] || { echo "say which: make slides CHAPTER=6" >&2; exit 2; }
	$(Q)WARPBOOK=$(abspath $(WARPBOOK)) paper/book $(if $(SOLUTIONS),--solutions) $(B)/book/slides.html $(CHAPTER)
	$(Q)weasyprint -q $(B)/book/slides.html $(B)/book/slides.pdf.part
	$(Q)mv $(B)/book/slides.pdf.part $(B)/book/slides.pdf
	@echo "$(B)/book/slides.html, $(B)/book/slides.pdf"
