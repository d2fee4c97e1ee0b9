# NVIDIA GeForce GTX 1050 Ti. CUDA 13 no longer builds for it: the profile shows how a small device
# would take the same program. Sources: [DS] NVIDIA's product page; [WP] NVIDIA GeForce GTX 1080
# white paper (same Pascal SM); [PG] CUDA C++ Programming Guide up to version 12, table "Technical
# Specifications per Compute Capability"; [D] derived as said; [H] taken over from the H200.
id gtx1050ti
name NVIDIA GeForce GTX 1050 Ti
compute_major 6                # [PG]
compute_minor 1                # [PG]
sm_count 6                     # [DS]: 768 cores, 128 an SM
clock_mhz 1392                 # [DS]: boost
memory_clock_mhz 3504          # [DS]: GDDR5, two bits a clock and pin as the runtime counts
memory_bus_bits 128            # [DS]: 3504 MHz x 2 x 128 / 8 = 112 GB/s
memory_bytes 4236312576        # deviceQuery's listing: 4040 MiB of 4 GB
l2_bytes 1048576               # deviceQuery's listing: 1 MB
l2_slices 8                    # [D]: two for each 32 bits of the bus
l1_bytes 147456                # [WP]: 48 KB of L1 beside 96 KB of shared memory
shared_per_sm 98304            # [PG]: 96 KB
shared_per_block 49152         # [PG]
shared_per_block_optin 49152   # [PG]
shared_reserved 0              # [PG]
registers_per_sm 65536         # [PG]
registers_per_block 65536      # [PG]
registers_per_thread 255       # [PG]
threads_per_sm 2048            # [PG]
blocks_per_sm 32               # [PG]
schedulers_per_sm 4            # [WP]
copy_engines 2                 # deviceQuery's listing
dram_gbs 93                    # [D]: 0.83 of 112
dram_read_gbs 98               # [D]: 5 % more without turning the bus around, as on the H200
dram_granule 32                # [D]: GDDR5, 32 bits x burst of 8
l2_gbs 230                     # [D]: 2 x 64 bytes a clock and memory controller pair, 0.64 of them
l1_sectors_per_clock 2         # [WP]: 64 bytes a clock from two texture units
shared_wavefronts_per_clock 1  # [PG]: 32 banks of 4 bytes
constant_addresses_per_clock 0.44 # [H]
issue_per_inst 1               # [H]
f64_fmas 4                     # [PG]
tensor_f16_fmas 128            # [D]: none: what its other units would do
tensor_f8_fmas 128             # [D]: none: what its other units would do
tensor_tf32_fmas 128           # [D]: none: what its other units would do
tensor_f64_fmas 4              # [D]: none: what its other units would do
tensor_i8_fmas 128             # [D]: none: what its other units would do
tensor_i4_fmas 128             # [D]: none: what its other units would do
tensor_b1_fmas 128             # [D]: none: what its other units would do
tensor_least_cycles 1.12       # [H]
tensor_latency_cycles 16       # [H]
blocks_per_ns 0.05             # [H]: by SMs and clock
launch_us 3                    # [H]: by clock
launch_gap_us 0.89             # [H]: by launch_us
graph_launch_us 1.7            # [H]: by launch_us
graph_gap_us 0.28              # [H]: likewise
graph_next_us 0.43             # [H]: likewise
record_us 0.7                  # [H]: by call_record_us
call_launch_us 2.1             # [H]: likewise
call_copy_us 0.78              # [H]: likewise
device_launch_us 4.9           # [H]: as it is
device_call_us 6.05            # [H]: likewise
device_apart_us 0.4            # [H]: likewise
call_record_us 0.53            # [H]: likewise
dram_latency_ns 450            # [D]: about 600 clocks
l2_latency_ns 155              # [D]: about 216 clocks
l1_latency_ns 59               # [D]: about 82 clocks
shared_latency_ns 17           # [D]: about 23 clocks
grid_barrier_ns 860            # [H]: by l2_latency_ns
cluster_barrier_ns 0           # [PG]: it has no clusters
atomic_ns 0.72                 # [D]: one a clock
atomic_float_ns 1.7            # [H]: by atomic_ns
red_sectors_per_clock 0.41     # [H]
atom_sectors_per_clock 0.26    # [H]
h2d_pinned_gbs 12              # [D]: PCIe 3.0 x16, 15.75 GB/s, less protocol
d2h_pinned_gbs 12              # [D]: likewise
h2d_pageable_gbs 6             # [D]: half of pinned: copied twice
d2h_pageable_gbs 6             # [D]: likewise
link_both_gbs 21.4             # estimate: 0.89 of the two directions, as the H200 reaches
copy_us 3                      # [H]
copy_out_us 2.3                # [H]: by copy_us
copy_gap_us 1.5                # [H]: by copy_us
context_ms 150                 # [H]
