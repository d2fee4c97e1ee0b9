// In place of the toolkit's header where a lab is built to be rejected: what a wrong version is found
// out by has nothing to do with CUB, whose header takes longer to compile than all the rest.
#include <cuda_runtime.h>

namespace cub {
struct DeviceReduce {
    template <class... Any> static cudaError_t Sum(void *, size_t &bytes, Any...)
    {
        bytes = 1;
        return cudaSuccess;
    }
};
} // namespace cub
