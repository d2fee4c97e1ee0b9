/* The tables of the special function unit (MUFU). */
#include "mufu.h"

#define MUFU_rcp(...)
#define MUFU_rsqrt(...)
#define MUFU_sqrt(...)
#define MUFU_lg2(...)
#define MUFU_ex2(...)
#define MUFU_sin(...)
#define MUFU_tanh(...)
#define MUFU(function, ...) MUFU_##function(__VA_ARGS__)

#undef MUFU_rcp
#define MUFU_rcp(...) {__VA_ARGS__},
const mufu_row mufu_rcp_row[128] = {
#include "mufu.def"
};
#undef MUFU_rcp
#define MUFU_rcp(...)

#undef MUFU_rsqrt
#define MUFU_rsqrt(...) {__VA_ARGS__},
const mufu_row mufu_rsqrt_row[128] = {
#include "mufu.def"
};
#undef MUFU_rsqrt
#define MUFU_rsqrt(...)

#undef MUFU_sqrt
#define MUFU_sqrt(...) {__VA_ARGS__},
const mufu_row mufu_sqrt_row[128] = {
#include "mufu.def"
};
#undef MUFU_sqrt
#define MUFU_sqrt(...)

#undef MUFU_lg2
#define MUFU_lg2(...) {__VA_ARGS__},
const mufu_row mufu_lg2_row[64] = {
#include "mufu.def"
};
#undef MUFU_lg2
#define MUFU_lg2(...)

#undef MUFU_ex2
#define MUFU_ex2(...) {__VA_ARGS__},
const mufu_row mufu_ex2_row[64] = {
#include "mufu.def"
};
#undef MUFU_ex2
#define MUFU_ex2(...)

#undef MUFU_sin
#define MUFU_sin(...) {__VA_ARGS__},
const mufu_row mufu_sin_row[64] = {
#include "mufu.def"
};
#undef MUFU_sin
#define MUFU_sin(...)

#undef MUFU_tanh
#define MUFU_tanh(...) {__VA_ARGS__},
const mufu_row mufu_tanh_row[51] = {
#include "mufu.def"
};
