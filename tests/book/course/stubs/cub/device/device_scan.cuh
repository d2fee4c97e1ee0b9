// In place of the toolkit's header: see device_reduce.cuh.
#include <cuda_runtime.h>

namespace cub {
struct DeviceScan {
    template <class... Any> static cudaError_t InclusiveSum(void *, size_t &bytes, Any...)
    {
        bytes = 1;
        return cudaSuccess;
    }
};
} // namespace cub
