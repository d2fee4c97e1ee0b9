# Every hostile submission; `make test` tries a few.
.PHONY: test-hostile
test-hostile: all
	@prove -v --exec '' tests/hostile/run-hostile :: --all
