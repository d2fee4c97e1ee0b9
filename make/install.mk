#   make install    PREFIX=/usr/local, below DESTDIR: the program, the emulator, the book, the manual page
#   make uninstall  remove what make install put there
PREFIX    ?= /usr/local
BINDIR    := $(DESTDIR)$(PREFIX)/bin
# The program finds the next three from where it lies itself: ../lib/warpbook and so on.
LIBDIR    := $(DESTDIR)$(PREFIX)/lib/warpbook
LIBEXECDIR := $(DESTDIR)$(PREFIX)/libexec/warpbook
SHAREDIR  := $(DESTDIR)$(PREFIX)/share/warpbook
MANDIR    := $(DESTDIR)$(PREFIX)/share/man/man1
BASHDIR   := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR    := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
BOOK      := chapters labs solutions common plots docs TUTORIAL.md LICENSE

.PHONY: install uninstall
install: all
	install -d "$(BINDIR)" "$(LIBDIR)" "$(LIBEXECDIR)" "$(SHAREDIR)" "$(MANDIR)" "$(BASHDIR)" "$(ZSHDIR)"
	install $(WARPBOOK) "$(BINDIR)/warpbook"
	install -m 644 $(EMU_SO) $(CUDART12_SO) $(CUDRIVER_SO) $(LIBRARIES_SO) $(ADOPT) $(INTERPOSER) $(ENV_TXT) "$(LIBDIR)"
	install $(REPLAY) $(JUDGE) $(BESIDE) "$(LIBDIR)"
	install $(LIBEXEC) "$(LIBEXECDIR)"
	ln -sf libcuda.so.1 "$(LIBDIR)/libcuda.so"
	$(foreach l,$(LIBRARIES_SO),ln -sf $(notdir $(l)) "$(LIBDIR)/$(notdir $(basename $(l)))";)
	cp -RP --no-preserve=ownership $(BOOK) "$(SHAREDIR)"
	@# Somebody may have worked in the labs: the installed ones are those of the repository.
	@if [ "$$(git rev-parse --show-toplevel 2>/dev/null)" = "$$PWD" ]; then \
	  git archive HEAD -- 'chapters/*/lab.cu' 'chapters/*/break.cu' 'labs/*/lab.cu' | tar -x -C "$(SHAREDIR)"; fi
	$(abspath $(WARPBOOK)) dev man > "$(MANDIR)/warpbook.1"
	$(abspath $(WARPBOOK)) dev completion bash > "$(BASHDIR)/warpbook"
	$(abspath $(WARPBOOK)) dev completion zsh > "$(ZSHDIR)/_warpbook"

uninstall:
	rm -f "$(BINDIR)/warpbook" "$(MANDIR)/warpbook.1" "$(BASHDIR)/warpbook" "$(ZSHDIR)/_warpbook"
	rm -rf "$(LIBDIR)" "$(LIBEXECDIR)" "$(SHAREDIR)"
