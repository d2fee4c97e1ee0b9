# NVIDIA Tesla K40m. CUDA 13 no longer builds for it: the profile shows how an old device would take
# the same program. Sources: [DS] NVIDIA Tesla K40 board specification; [WP] NVIDIA Kepler GK110/210
# white paper; [PG] CUDA C++ Programming Guide up to version 11, table "Technical Specifications per
# Compute Capability"; [D] derived as said; [H] taken over from the H200 that was measured.
id k40
name Tesla K40m
compute_major 3                # [WP]
compute_minor 5                # [WP]
sm_count 15                    # [WP]
clock_mhz 745                  # [DS]: base, the default
memory_clock_mhz 3004          # [DS]: GDDR5, two bits a clock and pin as the runtime counts
memory_bus_bits 384            # [DS]: 3004 MHz x 2 x 384 / 8 = 288 GB/s
memory_bytes 12079136768       # deviceQuery's listing: 11520 MiB of 12 GB, ECC on
l2_bytes 1572864               # [WP]: 1.5 MB
l2_slices 24                   # [D]: two for each 32 bits of the bus
l1_bytes 65536                 # [WP]: 64 KB
shared_per_sm 49152            # [PG]
shared_per_block 49152         # [PG]
shared_per_block_optin 49152   # [PG]
shared_reserved 0              # [PG]
registers_per_sm 65536         # [PG]
registers_per_block 65536      # [PG]
registers_per_thread 255       # [PG]
threads_per_sm 2048            # [PG]
blocks_per_sm 16               # [PG]
schedulers_per_sm 4            # [WP]
copy_engines 2                 # [DS]
dram_gbs 190                   # [D]: 0.75 of 288, less an eighth for ECC in the same memory
dram_read_gbs 200              # [D]: 5 % more without turning the bus around, as on the H200
dram_granule 32                # [D]: GDDR5, 32 bits x burst of 8
l2_gbs 500                     # [D]: 6 partitions x 128 bytes a clock, 0.64 of them as on the H200, rounded up
l1_sectors_per_clock 4         # [WP]: 128 bytes a clock
shared_wavefronts_per_clock 1  # [PG]: 32 banks
constant_addresses_per_clock 0.44 # [H]
issue_per_inst 1               # [H]
f64_fmas 64                    # [PG]
tensor_f16_fmas 192            # [D]: none: what its other units would do
tensor_f8_fmas 192             # [D]: none: what its other units would do
tensor_tf32_fmas 192           # [D]: none: what its other units would do
tensor_f64_fmas 64             # [D]: none: what its other units would do
tensor_i8_fmas 192             # [D]: none: what its other units would do
tensor_i4_fmas 192             # [D]: none: what its other units would do
tensor_b1_fmas 192             # [D]: none: what its other units would do
tensor_least_cycles 1.12       # [H]
tensor_latency_cycles 16       # [H]
blocks_per_ns 0.07             # [H]: by SMs and clock
launch_us 5                    # [H]: by clock
launch_gap_us 1.5              # [H]: by launch_us
graph_launch_us 2.9            # [H]: by launch_us
graph_gap_us 0.46              # [H]: likewise
graph_next_us 0.71             # [H]: likewise
record_us 1.2                  # [H]: by call_record_us
call_launch_us 3.4             # [H]: likewise
call_copy_us 1.3               # [H]: likewise
device_launch_us 4.9           # [H]: as it is
device_call_us 6.05            # [H]: likewise
device_apart_us 0.4            # [H]: likewise
call_record_us 0.88            # [H]: likewise
dram_latency_ns 650            # [D]: about 480 clocks
l2_latency_ns 300              # [D]: about 220 clocks
l1_latency_ns 47               # [D]: 35 clocks
shared_latency_ns 35           # [D]: about 26 clocks
grid_barrier_ns 1700           # [H]: by l2_latency_ns
cluster_barrier_ns 0           # [PG]: it has no clusters
atomic_ns 1.4                  # [WP]: one a clock on one address
atomic_float_ns 3.3            # [H]: by atomic_ns
red_sectors_per_clock 0.41     # [H]
atom_sectors_per_clock 0.26    # [H]
h2d_pinned_gbs 10              # [D]: PCIe 3.0 x16, 15.75 GB/s, as boards of the time reached
d2h_pinned_gbs 10              # [D]: likewise
h2d_pageable_gbs 5             # [D]: half of pinned: copied twice
d2h_pageable_gbs 5             # [D]: likewise
link_both_gbs 17.8             # estimate: 0.89 of the two directions, as the H200 reaches
copy_us 6                      # [H]: by clock
copy_out_us 4.5                # [H]: by copy_us
copy_gap_us 3.1                # [H]: by copy_us
context_ms 200                 # [H]
