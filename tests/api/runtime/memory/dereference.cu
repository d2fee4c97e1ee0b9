// A host that follows a device pointer dies as it would, and is told which allocation it was.
// status: 139
// stderr: warpbook: .*cudaMalloc
#include "check.h"

int main()
{
    int *a, *b;
    OK(cudaMalloc(&a, 64));
    OK(cudaMalloc(&b, 64));
    b[3] = 1;
    return 0;
}
