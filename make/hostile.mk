# Every hostile submission; `make test` tries a few.
.PHONY: test-hostile
test-hostile: all
	@tests/hostile/run-hostile --all
