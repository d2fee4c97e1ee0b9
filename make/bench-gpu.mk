# Times that the emulator models against times that a GPU recorded.
#   make bench-gpu                  up to 2^22 elements, and the chapters' solutions
#   make bench-gpu BENCH_LOG2=24    larger: takes minutes
BENCH_LOG2 ?= 22

.PHONY: bench-gpu
bench-gpu: $(EMU_SO)
	@tests/hardware/bench-gpu $(B)/emulator $(BENCH_LOG2)
