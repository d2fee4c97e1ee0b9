/* Checks whether a kernel can be launched with a grid, a block and an amount of shared memory
 * (Programming Guide, "Compute Capabilities"), and says which limit forbids it. */
#include "../../launch/launch.h"
#include "../checks/checks.h"
#include "../core/state.h"
#include "launch.h"

static cudaError_t check_grid_and_block(dim3 grid, dim3 block)
{
    const uint32_t blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
    char why[300];
    return launch_is_shape_possible(blocks, threads, why, sizeof why)
               ? cudaSuccess
               : rt_error_because(cudaErrorInvalidValue, "%s", why);
}

static cudaError_t check_shared_memory(const rt_kernel *k, size_t shared)
{
    const uint64_t most = rt_max_dynamic_shared_bytes(k), optin = rt.profile.shared_per_block_optin;
    const uint64_t fixed = k->info.static_shared, highest = optin > fixed ? optin - fixed : 0;
    if (shared <= most)
        return cudaSuccess;
    if (shared > highest) {
        return rt_error_because(cudaErrorInvalidValue,
                                "the launch requests %zu bytes of dynamic shared memory, and this "
                                "kernel can have at most %llu bytes on this device",
                                shared, (unsigned long long)highest);
    }
    return rt_error_because(cudaErrorInvalidValue,
                            "the launch requests %zu bytes of dynamic shared memory, and its limit "
                            "is %llu bytes; cudaFuncSetAttribute with "
                            "cudaFuncAttributeMaxDynamicSharedMemorySize raises the limit",
                            shared, (unsigned long long)most);
}

static cudaError_t check_threads_of_kernel(const rt_kernel *k, dim3 block)
{
    const uint32_t threads = block.x * block.y * block.z, *want = k->func->reqntid;
    if (threads > k->max_threads && threads > k->info.max_threads) {
        return rt_error_because(cudaErrorInvalidValue,
                                "the kernel is declared for at most %u threads in a block "
                                "(__launch_bounds__), this one has %u",
                                k->info.max_threads, threads);
    }
    if (threads > k->max_threads) {
        return rt_error_because(cudaErrorLaunchOutOfResources,
                                "%u threads with %u registers each need more than the %llu "
                                "registers of a block: at most %u threads; __launch_bounds__(%u) "
                                "makes the compiler use fewer registers",
                                threads, k->info.registers,
                                (unsigned long long)rt.profile.registers_per_block, k->max_threads,
                                threads);
    }
    if (want[0] && (block.x != want[0] || block.y != (want[1] ? want[1] : 1) ||
                    block.z != (want[2] ? want[2] : 1))) {
        return rt_error_because(cudaErrorInvalidValue,
                                "the kernel is declared for blocks of %u x %u x %u threads, this "
                                "one has %u x %u x %u",
                                want[0], want[1] ? want[1] : 1, want[2] ? want[2] : 1, block.x,
                                block.y, block.z);
    }
    return cudaSuccess;
}

cudaError_t rt_check_launch_shape(const rt_kernel *k, dim3 grid, dim3 block, size_t shared)
{
    cudaError_t e = check_grid_and_block(grid, block);
    e = e ? e : check_shared_memory(k, shared);
    return e ? e : check_threads_of_kernel(k, block);
}

cudaError_t rt_check_cooperative_launch(const rt_kernel *k, const rt_launch *l)
{
    const uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    const uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    const uint64_t each = rt_blocks_per_sm(k, threads, l->shared), sms = rt.profile.sm_count;
    return blocks <= each * sms
               ? cudaSuccess
               : rt_error_because(cudaErrorCooperativeLaunchTooLarge,
                                  "all blocks of a cooperative launch are resident at once: %llu "
                                  "on each of %llu SMs, and this grid has %llu",
                                  (unsigned long long)each, (unsigned long long)sms,
                                  (unsigned long long)blocks);
}
