# NVIDIA A100 SXM4, 40 GB. Sources: [WP] NVIDIA A100 architecture white paper; [PG] CUDA C++
# Programming Guide, table "Technical Specifications per Compute Capability"; [D] derived as said;
# [H] taken over from the H200 that was measured, for want of a figure.
id a100
name NVIDIA A100-SXM4-40GB
compute_major 8                # [WP]
compute_minor 0                # [WP]
sm_count 108                   # [WP]
clock_mhz 1410                 # [WP]: boost
memory_clock_mhz 1215          # [WP]: HBM2, two bits a clock and pin
memory_bus_bits 5120           # [WP]: 1215 MHz x 2 x 5120 / 8 = 1555 GB/s
memory_bytes 42505273344       # deviceQuery's listing: 40536 MiB
l2_bytes 41943040              # [WP]: 40 MB
l2_slices 80                   # [WP]
l1_bytes 196608                # [WP]: 192 KB
shared_per_sm 167936           # [PG]: 164 KB
shared_per_block 49152         # [PG]
shared_per_block_optin 166912  # [PG]: 163 KB
shared_reserved 1024           # [PG]
registers_per_sm 65536         # [PG]
registers_per_block 65536      # [PG]
registers_per_thread 255       # [PG]
threads_per_sm 2048            # [PG]
blocks_per_sm 32               # [PG]
schedulers_per_sm 4            # [WP]
copy_engines 3                 # deviceQuery's listing
dram_gbs 1370                  # [D]: 0.88 of 1555, the H200's share
dram_read_gbs 1430             # [D]: 0.92 of 1555, likewise
dram_granule 64                # [PG]: cudaLimitMaxL2FetchGranularity's default
l2_gbs 4600                    # [D]: 0.64 of 5120 bytes a clock [WP], the H200's share
l1_sectors_per_clock 4         # [WP]: 128 bytes a clock
shared_wavefronts_per_clock 1  # [PG]: 32 banks of 4 bytes
constant_addresses_per_clock 0.44 # [H]
issue_per_inst 1               # [H]
f64_fmas 32                    # [WP]
tensor_f16_fmas 1024           # [WP]
tensor_f8_fmas 1024            # [D]: as f16
tensor_tf32_fmas 512           # [WP]
tensor_f64_fmas 64             # [WP]
tensor_i8_fmas 2048            # [WP]
tensor_i4_fmas 4096            # [WP]
tensor_b1_fmas 16384           # [WP]
tensor_least_cycles 1.12       # [H]
tensor_latency_cycles 16       # [H]
blocks_per_ns 0.96             # [H]: by SMs and clock
launch_us 2.5                  # [H]: by clock
launch_gap_us 0.74             # [H]: by launch_us
graph_launch_us 1.4            # [H]: by launch_us
graph_gap_us 0.23              # [H]: likewise
graph_next_us 0.36             # [H]: likewise
record_us 0.58                 # [H]: by call_record_us
call_launch_us 1.7             # [H]: likewise
call_copy_us 0.65              # [H]: likewise
device_launch_us 4.9           # [H]: as it is
device_call_us 6.05            # [H]: likewise
device_apart_us 0.4            # [H]: likewise
call_record_us 0.44            # [H]: likewise
dram_latency_ns 600            # [H]
l2_latency_ns 200              # [H]
l1_latency_ns 24               # [D]: 33 clocks
shared_latency_ns 16           # [D]: 23 clocks
grid_barrier_ns 1100           # [H]: by l2_latency_ns
cluster_barrier_ns 0           # [PG]: it has no clusters
atomic_ns 0.7                  # [D]: one a clock
atomic_float_ns 1.6            # [H]: by atomic_ns
red_sectors_per_clock 0.41     # [H]
atom_sectors_per_clock 0.26    # [H]
h2d_pinned_gbs 25              # [D]: PCIe 4.0 x16, 32 GB/s, less protocol
d2h_pinned_gbs 26              # [D]: likewise
h2d_pageable_gbs 10            # [H]: bound by the host's own copy
d2h_pageable_gbs 10            # [H]: likewise
link_both_gbs 45.4             # estimate: 0.89 of the two directions, as the H200 reaches
copy_us 2                      # [H]
copy_out_us 1.5                # [H]: by copy_us
copy_gap_us 1                  # [H]: by copy_us
context_ms 200                 # [H]
