# NVIDIA H200 SXM, 141 GB. Sources: [DS] NVIDIA H200 data sheet; [WP] NVIDIA H100 architecture white
# paper (same GH100 chip); [PG] CUDA C++ Programming Guide, table "Technical Specifications per
# Compute Capability"; [RT] what the runtime reports on one H200 (driver 580, CUDA 13.0);
# [M] measured on one H200 with CUDA events: tests/gpu/record-timings.
id h200
name NVIDIA H200
compute_major 9                # [RT]
compute_minor 0                # [RT]
sm_count 132                   # [RT]
clock_mhz 1980                 # [RT]
memory_clock_mhz 3201          # [RT]: HBM3e, two bits a clock and pin
memory_bus_bits 6144           # [RT]: 3201 MHz x 2 x 6144 / 8 = 4917 GB/s; [DS] says 4.8 TB/s
memory_bytes 150754820096      # [RT]: 143771 MiB of the 141 GB
l2_bytes 62914560              # [RT]: 60 MiB
l1_bytes 262144                # [WP]: 256 KB
shared_per_sm 233472           # [PG]: 228 KB
shared_per_block 49152         # [PG]
shared_per_block_optin 232448  # [PG]: 227 KB
shared_reserved 1024           # [PG]
registers_per_sm 65536         # [PG]
registers_per_block 65536      # [PG]
registers_per_thread 255       # [PG]
threads_per_sm 2048            # [PG]
blocks_per_sm 32               # [PG]
schedulers_per_sm 4            # [WP]
copy_engines 3                 # [RT]
dram_gbs 4240                  # [M]: float4 copy
dram_read_gbs 4530             # [M]: sum with vector loads
dram_granule 64                # [M]: a copy of every 16th float moves twice its sectors
l2_gbs 6500                    # [M]
l1_sectors_per_clock 4         # [WP]: 128 bytes a clock
shared_wavefronts_per_clock 1  # [PG]: 32 banks of 4 bytes
constant_addresses_per_clock 0.44 # [M]: indexed constant loads, 1 to 4 addresses a warp
issue_per_inst 1               # one of the machine's instructions for one of PTX
blocks_per_ns 1.65             # [M]: sums and stencils of small blocks
launch_us 2.2                  # [M]: empty kernel
dram_latency_ns 560            # [M]
l2_latency_ns 200              # [M]
l1_latency_ns 20               # [M]
atomic_ns 0.6                  # [M]
h2d_pinned_gbs 55              # [M]
d2h_pinned_gbs 55              # [M]
h2d_pageable_gbs 12            # [M]
d2h_pageable_gbs 12            # [M]
copy_us 2                      # [M]
context_ms 200                 # [M]
