# How fast the emulated SM is, what a launch and a thread cost, how long PTX takes to load; and other
# simulators, where they are installed, on the same kernels: make bench. Wants a machine with nothing else to do.
.PHONY: bench

$(B)/bench/kernels.ptx: tests/bench/kernels.cu
	@mkdir -p $(@D)
	$(NVCC) -O3 -lineinfo -ptx -arch=sm_90 $< -o $@

$(B)/bench_sm: tests/bench/bench_sm.c $(EMU_AR) $(FLAGS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -I. -o $@ $< $(EMU_AR) $(EMU_LIBS) $(EMU_LIBS_EXTRA)

bench: $(B)/bench_sm $(B)/bench/kernels.ptx
	@$(B)/bench_sm $(B)/bench/kernels.ptx
	@tests/bench/compare $(B)/bench_sm $(B)/bench/kernels.ptx

# What recording a run costs: make bench-recordings.
.PHONY: bench-recordings
bench-recordings: all
	@tests/bench/recordings

# What grading a class takes, against nvcc alone: make bench-class [CLASS="N CHUNK LAB CHOICE"].
.PHONY: bench-class
bench-class: all $(B)/bench/cpu_seconds
	@tests/bench/class $(CLASS)

# A whole class, with copied, wrong and hostile submissions: make bench-whole-class [CLASS="N LAB EVERY"].
.PHONY: bench-whole-class
bench-whole-class: all $(B)/bench/cpu_seconds
	@tests/bench/whole-class $(CLASS)

$(B)/bench/cpu_seconds: tests/bench/cpu_seconds.c
	@mkdir -p $(@D)
	$(call say,CC   ,$<)
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $<

# How long a verdict takes after a lab was saved, against nvcc alone: make bench-verdict.
.PHONY: bench-verdict
bench-verdict: all
	@WARPBOOK=$(abspath $(WARPBOOK)) WARPBOOK_WORK=$(abspath $(B)) tests/bench/verdict
