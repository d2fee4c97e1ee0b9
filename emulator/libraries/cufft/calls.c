/* Plans by their handles, their settings, and executions. */
#include "cufft.h"

#include "../../base/list.h"
#include "../../base/lock.h"

#include <pthread.h>
#include <stdlib.h>

#define CUFFT_CALL __attribute__((visibility("default"))) cufftResult

/* Handles count from 1. */
static struct {
    pthread_mutex_t lock;
    fft_plan **plan;
    int count;
} plans = {.lock = PTHREAD_MUTEX_INITIALIZER};

static fft_plan *find(cufftHandle h)
{
    HOLD_LOCK(&plans.lock);
    fft_plan *plan = h > 0 && h <= plans.count ? plans.plan[h - 1] : NULL;
    return plan;
}

/* --- what is asked for --- */

static bool is_type(cufftType type)
{
    const unsigned single = (unsigned)type & ~(unsigned)CUFFT_OF_DOUBLES;
    return single == CUFFT_C2C || single == CUFFT_R2C || single == CUFFT_C2R;
}

/* A layout: elements from one to the next, of a dimension whose inner ones have room for EMBED. */
static fft_layout layout_of(int rank, const long long *embed, long long stride, long long dist)
{
    fft_layout l = {.dist = dist};
    for (int d = rank; d-- > 0; stride *= embed[d])
        l.step[d] = stride;
    return l;
}

typedef struct request {
    int rank;
    const long long *n, *inembed, *onembed;
    long long istride, idist, ostride, odist, batch;
    cufftType type;
} request;

/* What is checked is what NVIDIA's 12.0 checks: of lengths the first one, of layouts not whether
 * they have room for a transform. */
static cufftResult problem_of(const request *r, fft_problem *p)
{
    if (r->rank < 1 || r->rank > FFT_RANK || !r->n || !r->inembed != !r->onembed)
        return CUFFT_INVALID_VALUE;
    const bool is_basic = !r->inembed;
    if (!is_basic && (r->istride < 1 || r->idist < 1 || r->ostride < 1 || r->odist < 1))
        return CUFFT_INVALID_VALUE;
    if (!is_type(r->type))
        return CUFFT_INVALID_TYPE;
    if (r->batch < 1 || r->n[0] < 1)
        return CUFFT_INVALID_SIZE;
    *p = (fft_problem){.type = r->type, .rank = r->rank, .batch = r->batch, .is_basic = is_basic};
    for (int d = 0; d < r->rank; d++) {
        p->n[d] = r->n[d];
        if (d > 0 && !is_basic && (r->inembed[d] < 0 || r->onembed[d] < 0))
            return CUFFT_INVALID_SIZE;
    }
    if (!is_basic) {
        p->in = layout_of(r->rank, r->inembed, r->istride, r->idist);
        p->out = layout_of(r->rank, r->onembed, r->ostride, r->odist);
    }
    return CUFFT_SUCCESS;
}

/* Bytes of the work area of a problem that no plan has yet. */
static cufftResult size_of(const request *r, size_t *size)
{
    fft_problem problem;
    fft_passes passes;
    if (!size)
        return CUFFT_INVALID_VALUE;
    const cufftResult wrong = problem_of(r, &problem);
    if (wrong)
        return wrong;
    if (!fft_make_passes(NULL, &problem, NULL, NULL, NULL, false, &passes))
        return CUFFT_INVALID_SIZE;
    *size = passes.work_size;
    return CUFFT_SUCCESS;
}

/* --- plans --- */

CUFFT_CALL cufftCreate(cufftHandle *out)
{
    if (!out)
        return CUFFT_INVALID_VALUE;
    if (!library_has_context())
        return CUFFT_INTERNAL_ERROR;
    pthread_mutex_lock(&plans.lock);
    fft_plan **new = LIST_ADD(plans.plan, plans.count);
    if (new && !(*new = calloc(1, sizeof **new))) {
        plans.count--;
        new = NULL;
    }
    if (new) {
        (*new)->allocates = true;
        *out = plans.count;
    }
    pthread_mutex_unlock(&plans.lock);
    return new ? CUFFT_SUCCESS : CUFFT_ALLOC_FAILED;
}

static void free_work(fft_plan *plan)
{
    if (plan->owns_work)
        cuMemFree(plan->work);
    plan->owns_work = false;
    plan->work = 0;
}

CUFFT_CALL cufftDestroy(cufftHandle h)
{
    enum { NO_PLAN = -1 };
    fft_plan *plan = find(h);
    if (h == NO_PLAN)
        return CUFFT_SUCCESS;
    if (!plan)
        return CUFFT_INVALID_PLAN;
    pthread_mutex_lock(&plans.lock);
    plans.plan[h - 1] = NULL;
    pthread_mutex_unlock(&plans.lock);
    free_work(plan);
    fft_free_tables(plan);
    free(plan);
    return CUFFT_SUCCESS;
}

/* The kernels in the current context, which has them as long as it lives: loading takes longer than
 * all else of a plan. A context at the place of an older one has none. */
static CUmodule kernels_of_context(void)
{
    static struct loaded {
        CUcontext context;
        CUmodule kernels;
    } * loaded;
    static int count;
    CUcontext context = NULL;
    CUmodule kernels = NULL;
    CUfunction one;
    if (!library_has_context() || cuCtxGetCurrent(&context))
        return NULL;
    HOLD_LOCK(&plans.lock);
    int i = 0;
    while (i < count && loaded[i].context != context)
        i++;
    if (i < count && !cuModuleGetFunction(&one, loaded[i].kernels, "fft_f32")) {
        kernels = loaded[i].kernels;
    } else if (!cuModuleLoadData(&kernels, library_kernels)) {
        struct loaded *l = i < count ? &loaded[i] : LIST_ADD(loaded, count);
        if (l)
            *l = (struct loaded){context, kernels};
    }
    return kernels;
}

static cufftResult make_plan(cufftHandle h, const request *r, size_t *size)
{
    fft_plan *plan = find(h);
    fft_passes passes;
    if (!plan)
        return CUFFT_INVALID_PLAN;
    if (plan->is_made || !size)
        return plan->is_made ? CUFFT_INVALID_PLAN : CUFFT_INVALID_VALUE;
    const cufftResult wrong = size_of(r, size);
    if (wrong)
        return wrong;
    problem_of(r, &plan->problem);
    plan->kernels = kernels_of_context();
    if (!plan->kernels)
        return CUFFT_SETUP_FAILED;
    if (!fft_make_passes(plan, &plan->problem, NULL, NULL, NULL, false, &passes))
        return CUFFT_ALLOC_FAILED;
    plan->work_size = passes.work_size;
    if (plan->allocates && plan->work_size) {
        if (cuMemAlloc(&plan->work, plan->work_size))
            return CUFFT_ALLOC_FAILED;
        plan->owns_work = true;
    }
    plan->is_made = true;
    return CUFFT_SUCCESS;
}

static cufftResult new_plan(cufftHandle *out, const request *r)
{
    cufftHandle h;
    size_t size;
    if (!out)
        return CUFFT_INVALID_VALUE;
    cufftResult wrong = cufftCreate(&h);
    if (wrong)
        return wrong;
    wrong = make_plan(h, r, &size);
    if (wrong)
        cufftDestroy(h);
    else
        *out = h;
    return wrong;
}

/* The calls that take a plan's sizes in one of the usual ways: plans, made plans, sizes. */
#define REQUEST_1D \
    const request r = {.rank = 1, .n = (long long[]){nx}, .type = type, .batch = batch}
#define REQUEST_2D \
    const request r = {.rank = 2, .n = (long long[]){nx, ny}, .type = type, .batch = 1}
#define REQUEST_3D \
    const request r = {.rank = 3, .n = (long long[]){nx, ny, nz}, .type = type, .batch = 1}
#define SIZED(dimensions, request, ...)                                               \
    CUFFT_CALL cufftPlan##dimensions(cufftHandle *plan, __VA_ARGS__)                  \
    {                                                                                 \
        request;                                                                      \
        return new_plan(plan, &r);                                                    \
    }                                                                                 \
    CUFFT_CALL cufftMakePlan##dimensions(cufftHandle plan, __VA_ARGS__, size_t *size) \
    {                                                                                 \
        request;                                                                      \
        return make_plan(plan, &r, size);                                             \
    }                                                                                 \
    CUFFT_CALL cufftEstimate##dimensions(__VA_ARGS__, size_t *size)                   \
    {                                                                                 \
        request;                                                                      \
        return size_of(&r, size);                                                     \
    }                                                                                 \
    CUFFT_CALL cufftGetSize##dimensions(cufftHandle plan, __VA_ARGS__, size_t *size)  \
    {                                                                                 \
        request;                                                                      \
        return find(plan) ? size_of(&r, size) : CUFFT_INVALID_PLAN;                   \
    }
SIZED(1d, REQUEST_1D, int nx, cufftType type, int batch)
SIZED(2d, REQUEST_2D, int nx, int ny, cufftType type)
SIZED(3d, REQUEST_3D, int nx, int ny, int nz, cufftType type)

#define MANY(N)                                                                     \
    int rank, N *n, N *inembed, N istride, N idist, N *onembed, N ostride, N odist, \
        cufftType type, N batch
#define REQUEST_64 \
    const request r = {rank, n, inembed, onembed, istride, idist, ostride, odist, batch, type}
/* COUNT numbers of FROM as wider ones; NULL stays so. */
static const long long *widened(const int *from, int count, long long *to)
{
    for (int i = 0; from && i < count && i < FFT_RANK; i++)
        to[i] = from[i];
    return from ? to : NULL;
}
#define REQUEST_MANY                                    \
    long long wide[3][FFT_RANK];                        \
    const request r = {rank,                            \
                       widened(n, rank, wide[0]),       \
                       widened(inembed, rank, wide[1]), \
                       widened(onembed, rank, wide[2]), \
                       istride,                         \
                       idist,                           \
                       ostride,                         \
                       odist,                           \
                       batch,                           \
                       type}
SIZED(Many, REQUEST_MANY, MANY(int))

CUFFT_CALL cufftMakePlanMany64(cufftHandle plan, MANY(long long), size_t *size)
{
    REQUEST_64;
    return make_plan(plan, &r, size);
}

CUFFT_CALL cufftGetSizeMany64(cufftHandle plan, MANY(long long), size_t *size)
{
    REQUEST_64;
    return find(plan) ? size_of(&r, size) : CUFFT_INVALID_PLAN;
}

/* --- settings --- */

CUFFT_CALL cufftGetSize(cufftHandle h, size_t *size)
{
    const fft_plan *plan = find(h);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    if (!size)
        return CUFFT_INVALID_VALUE;
    if (!plan->is_made)
        return CUFFT_INVALID_PLAN;
    *size = plan->work_size;
    return CUFFT_SUCCESS;
}

CUFFT_CALL cufftSetStream(cufftHandle h, CUstream stream)
{
    fft_plan *plan = find(h);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

CUFFT_CALL cufftSetAutoAllocation(cufftHandle h, int allocates)
{
    fft_plan *plan = find(h);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    plan->allocates = allocates != 0;
    return CUFFT_SUCCESS;
}

CUFFT_CALL cufftSetWorkArea(cufftHandle h, void *area)
{
    fft_plan *plan = find(h);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    free_work(plan);
    plan->work = (CUdeviceptr)area;
    return CUFFT_SUCCESS;
}

CUFFT_CALL cufftGetVersion(int *version)
{
    if (version)
        *version = library_version;
    return CUFFT_SUCCESS;
}

CUFFT_CALL cufftGetProperty(int which, int *value)
{
    if (!value)
        return CUFFT_INVALID_VALUE;
    return library_property(which, 1000, value) ? CUFFT_SUCCESS : CUFFT_INVALID_TYPE;
}

/* --- executions --- */

/* Every plan takes every call of its direction: as its own type, whatever the call's. */
static cufftResult execute(cufftHandle h, void *in, void *out, int direction)
{
    fft_plan *plan = find(h);
    fft_passes passes;
    if (!plan || !plan->is_made)
        return CUFFT_INVALID_PLAN;
    const cufftType type = plan->problem.type;
    const bool from_real = type == CUFFT_R2C || type == CUFFT_D2Z,
               to_real = type == CUFFT_C2R || type == CUFFT_Z2D;
    const bool takes_it = direction == CUFFT_FORWARD   ? !to_real
                          : direction == CUFFT_INVERSE ? !from_real
                                                       : false;
    if (!takes_it || ((uintptr_t)in | (uintptr_t)out) % fft_complex_size(type))
        return CUFFT_INVALID_VALUE;
    if (plan->work_size && !plan->work)
        return CUFFT_NO_WORKSPACE;
    if (!fft_make_passes(plan, &plan->problem, in, out, (void *)plan->work,
                         direction == CUFFT_INVERSE, &passes))
        return CUFFT_INTERNAL_ERROR;
    const bool wide = fft_is_double(type);
    const unsigned pad = wide ? FFT_PAD_F64 : FFT_PAD_F32, warp = 32;
    for (int i = 0; i < passes.count; i++) {
        fft_pass *p = &passes.pass[i];
        const unsigned elements = (unsigned)(p->length * p->lines),
                       room = elements + (elements >> pad) + 1;
        const library_shape shape = {
            .grid = {(unsigned)((p->line_count + p->lines - 1) / p->lines)},
            .block = {((elements + FFT_PER - 1) / FFT_PER + warp - 1) / warp * warp},
            .shared =
                (unsigned)p->lines * FFT_PLACE_SIZE + room * (unsigned)fft_complex_size(type)};
        if (library_launch(plan->kernels, wide ? "fft_f64" : "fft_f32", &shape, plan->stream,
                           (void *[]){p}))
            return CUFFT_EXEC_FAILED;
    }
    return CUFFT_SUCCESS;
}

#define EXECUTE(type, direction)                                      \
    CUFFT_CALL cufftExec##type(cufftHandle plan, void *in, void *out) \
    {                                                                 \
        return execute(plan, in, out, CUFFT_##direction);             \
    }
#define EXECUTE_EITHER(type)                                                         \
    CUFFT_CALL cufftExec##type(cufftHandle plan, void *in, void *out, int direction) \
    {                                                                                \
        return execute(plan, in, out, direction);                                    \
    }
EXECUTE_EITHER(C2C)
EXECUTE_EITHER(Z2Z)
EXECUTE(R2C, FORWARD)
EXECUTE(D2Z, FORWARD)
EXECUTE(C2R, INVERSE)
EXECUTE(Z2D, INVERSE)
