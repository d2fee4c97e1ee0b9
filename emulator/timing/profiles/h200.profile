# NVIDIA H200 SXM, 141 GB. Sources: [DS] NVIDIA H200 data sheet; [WP] NVIDIA H100 architecture white
# paper (same GH100 chip); [PG] CUDA C++ Programming Guide, table "Technical Specifications per
# Compute Capability"; [RT] what the runtime reports on one H200 (driver 580, CUDA 13.0);
# [M] measured on one H200 with CUDA events: rows of tests/gpu/h200/timings, less the shortest launch.
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
l2_slices 94                   # [M] ncu: lts__cycles_elapsed.sum over .max
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
dram_gbs 4290                  # [M] copy_float4, 2^28: 4246 with its launch
dram_read_gbs 4700             # [M] read_float4, 2^28: 4591 with its launch
dram_granule 64                # [M] copy_stride: 16 takes twice as long as 8
l2_gbs 8700                    # [M] read_passes, 16 and 32 MiB
l1_sectors_per_clock 4         # [WP] 128 bytes a clock
shared_wavefronts_per_clock 1  # [PG] 32 banks of 4 bytes; [M] shared_stride
constant_addresses_per_clock 0.5# [M] constant_near, 1 to 32 addresses
issue_per_inst 1               # [M] fma_chains_4, read_only_near: one for one
f64_fmas 61.5                  # [M] fma_f64, 32 warps; 64 units [WP]
tensor_f16_fmas 1250           # [M] mma_f16_f32, mma_bf16; what mma reaches, wgmma has more
tensor_f8_fmas 2600            # [M] mma_e4m3
tensor_tf32_fmas 625           # [M] mma_tf32, m16n8k8
tensor_f64_fmas 127            # [M] mma_f64_k16
tensor_i8_fmas 2480            # [M] mma_s8
tensor_i4_fmas 145             # [M] mma_s4: not in the tensor cores any more
tensor_b1_fmas 19800           # [M] mma_b1
tensor_least_cycles 1.12       # [M] mma_f16_f32_k8
tensor_latency_cycles 16       # [M] chains_1, one warp
blocks_per_ns 1.655            # [M] dispatch_32 to dispatch_512
launch_us 5.4                  # [M] copies and fills of 2^16: 5.6 to 6.1
launch_gap_us 1.6              # [M] behind_kernels
graph_launch_us 3.1            # [M] graph_chain, 1 kernel
graph_gap_us 0.5               # [M] graph_chain, 2 to 128
graph_next_us 0.77             # [M] graph_fan, 4 to 128
record_us 1.5                  # [M] queued_records 1.65, behind_records 1.26
call_launch_us 3.7             # [M] host_launch
call_copy_us 1.4               # [M] host_h2d_pinned, host_d2h_pinned
device_launch_us 4.9           # [M] nested_depth
device_call_us 6.05            # [M] nested_forget
device_apart_us 0.4            # [M] nested_blocks
call_record_us 0.95            # [M] host_record
dram_latency_ns 318            # [M] chase_ns, 512 MiB: 323, less two instructions for the address
l2_latency_ns 140              # [M] chase_ns, 1 to 48 MiB: 145, likewise
l1_latency_ns 16               # [M] chase_ns, 16 KiB: 20.8, likewise
shared_latency_ns 10           # [M] chase_shared_ns: 14.6, likewise
grid_barrier_ns 780            # [M] in_step, 2 blocks; 0.97 us for 132, with their arrivals
cluster_barrier_ns 205         # [M] cluster_barriers: 0.20 to 0.22 us each
atomic_ns 0.75                 # [M] sum_atomic, one a warp; red_add_u32_one_lane
atomic_float_ns 1.755          # [M] red_add_f32_one_lane and words_1, one line
red_sectors_per_clock 0.41     # [M] red_add_u32_words_32 and _anywhere, lines and words enough for all slices
atom_sectors_per_clock 0.26    # [M] atom_add_u32 likewise
h2d_pinned_gbs 55.3            # [M]
d2h_pinned_gbs 55.3            # [M]
h2d_pageable_gbs 16            # [M] wait_in, 1 and 4 MiB: 14.1 and 16.3; 8 MiB 13.8, 256 MiB 7
d2h_pageable_gbs 14            # [M] wait_out, 1 and 4 MiB: 12.4 and 15.8; 256 MiB 14.5
link_both_gbs 98.7             # [M] link_both and both_ways, 16 MiB each way: a link has less than twice one way
copy_us 4.5                    # [M] h2d_pinned 4.1; 4.5 each between copies the other way: pieces_both
copy_out_us 3.1                # [M] d2h_pinned, likewise
copy_gap_us 2.3                # [M] queued_h2d 2.6, queued_d2h 2.0, 4 KiB each
context_ms 100                 # [M] chapter 15, first_call and one_more_context: 88 to 111; context_host_clock, 210, has the driver starting up in it
