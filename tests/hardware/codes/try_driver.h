/* Prints a line "call<TAB>error code" for each driver API call tested; has a PTX module for these
 * calls. */
#pragma once

#include "hash.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaProfiler.h>
#include <vector>

static const char *nm(CUresult r)
{
    const char *s = 0;
    cuGetErrorName(r, &s);
    return s ? s : "?";
}
#define OK(x)                                          \
    do {                                               \
        CUresult e_ = (x);                             \
        if (e_)                                        \
            printf("line %d\t%s\n", __LINE__, nm(e_)); \
    } while (0)
#define TRY(x)                          \
    do {                                \
        CUresult e_ = (x);              \
        printf("%s\t%s\n", #x, nm(e_)); \
        fflush(stdout);                 \
    } while (0)
static const char ptx[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 scale = 3;
.visible .const .align 4 .u32 offset = 10;
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
 .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<8>;
 ld.param.u64 %d1,[a]; ld.param.u64 %d2,[b]; ld.param.u64 %d3,[c]; ld.param.u32 %r1,[n];
 mov.u32 %r2,%ctaid.x; mov.u32 %r3,%ntid.x; mov.u32 %r4,%tid.x; mad.lo.u32 %r2,%r2,%r3,%r4;
 setp.ge.u32 %p,%r2,%r1; @%p bra END;
 mul.wide.u32 %d4,%r2,4; add.u64 %d1,%d1,%d4; add.u64 %d2,%d2,%d4; add.u64 %d3,%d3,%d4;
 ld.global.u32 %r5,[%d1]; ld.global.u32 %r6,[%d2]; ld.global.u32 %r7,[scale]; mad.lo.u32 %r5,%r6,%r7,%r5; ld.const.u32 %r7,[offset]; add.u32 %r5,%r5,%r7; st.global.u32 [%d3],%r5;
END: ret;
}
.visible .entry first(.param .u64 out)
{
 .reg .b32 %r<4>; .reg .b64 %d<4>; .shared .align 4 .b8 room[1024];
 ld.param.u64 %d1,[out]; mov.u32 %r1,%tid.x; mul.wide.u32 %d2,%r1,4; add.u64 %d1,%d1,%d2; st.global.u32 [%d1],%r1; ret;
}
)";
