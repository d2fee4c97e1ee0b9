/* Copies whose direction does not fit their memory: pageable, pinned, device and managed memory as
 * destination and source, each named direction, waiting and in a stream; and whether bytes moved.
 */
#include "say.h"

enum { PAGEABLE, PINNED, DEVICE, MANAGED, BYTES = 4096 };
static const char *const names[] = {"pageable", "pinned", "device", "managed"};

static unsigned char *allocate(int place)
{
    void *p = NULL;
    if (place == PAGEABLE)
        p = malloc(BYTES);
    else if (place == PINNED)
        cudaMallocHost(&p, BYTES);
    else if (place == DEVICE)
        cudaMalloc(&p, BYTES);
    else
        cudaMallocManaged(&p, BYTES);
    return (unsigned char *)p;
}

static void fill(int place, unsigned char *p, int value)
{
    if (place == PAGEABLE || place == PINNED)
        memset(p, value, BYTES);
    else
        cudaMemset(p, value, BYTES);
    cudaDeviceSynchronize();
}

static void try_copy(int to, int from, cudaMemcpyKind kind, bool async)
{
    static const char *const kinds[] = {"HostToHost", "HostToDevice", "DeviceToHost",
                                        "DeviceToDevice"};
    static unsigned char seen[BYTES];
    unsigned char *dst = allocate(to), *src = allocate(from);
    cudaStream_t s;
    cudaStreamCreate(&s);
    fill(from, src, 7);
    fill(to, dst, 0);
    cudaError_t code =
        async ? cudaMemcpyAsync(dst, src, BYTES, kind, s) : cudaMemcpy(dst, src, BYTES, kind);
    cudaError_t waited = cudaStreamSynchronize(s);
    cudaGetLastError();
    cudaMemcpy(seen, dst, BYTES, cudaMemcpyDefault);
    char name[96];
    snprintf(name, sizeof name, "%s, %s to %s, %s", async ? "async" : "waiting", names[from],
             names[to], kinds[kind]);
    SHOW(name, "%s, then %s, %s", cudaGetErrorName(code), cudaGetErrorName(waited),
         seen[0] == 7 && seen[BYTES - 1] == 7 ? "moved" : "not moved");
}

/* A process for each direction: a library may crash on what it believes. */
template <int KIND, bool ASYNC> static void each_pair()
{
    for (int to = PAGEABLE; to <= MANAGED; to++)
        for (int from = PAGEABLE; from <= MANAGED; from++)
            try_copy(to, from, (cudaMemcpyKind)KIND, ASYNC);
}

int main(int argc, char **argv)
{
    static const section sections[] = {
        {"waiting HostToHost", each_pair<0, false>},
        {"waiting HostToDevice", each_pair<1, false>},
        {"waiting DeviceToHost", each_pair<2, false>},
        {"waiting DeviceToDevice", each_pair<3, false>},
        {"async HostToHost", each_pair<0, true>},
        {"async HostToDevice", each_pair<1, true>},
        {"async DeviceToHost", each_pair<2, true>},
        {"async DeviceToDevice", each_pair<3, true>},
    };
    return run_sections(sections, sizeof sections / sizeof *sections, argc, argv);
}
