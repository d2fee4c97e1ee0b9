/* The per-thread default stream's names: the plain calls, with NULL meaning the thread's stream. */
#define CUDA_ENABLE_DEPRECATED /* some are: programs make them all the same */
#include "cudriver.h"

static _Thread_local unsigned nobody; /* without the emulator's libcudart */

#define PTSZ(name, symbol, since, params, args)                    \
    __attribute__((visibility("default"))) CUresult symbol params; \
    CUresult symbol params                                         \
    {                                                              \
        const rt_driver *d = cu_table();                           \
        unsigned *own = d ? d->per_thread_default() : &nobody;     \
        ++*own;                                                    \
        CUresult r = name args;                                    \
        --*own;                                                    \
        return r;                                                  \
    }
#include "ptsz.def"
/* A name that the header gives the older meaning. */
PTSZ(cuStreamGetCtx_v2, cuStreamGetCtx_v2_ptsz, 12050,
     (CUstream stream, CUcontext *out, CUgreenCtx *green), (stream, out, green))
#undef PTSZ
