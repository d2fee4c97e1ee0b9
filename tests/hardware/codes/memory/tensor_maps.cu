/* Tensor maps: what the driver says of descriptions that cannot be, one argument changed at a time
 * from ones that can. */
#include "say.h"

#include <cuda.h>
#include <cudaTypedefs.h>

template <class F> static F entry(const char *name)
{
    void *f = NULL;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion(name, &f, 13000, cudaEnableDefault, &found);
    return (F)f;
}
static const char *name_of(CUresult r)
{
    static auto get = entry<CUresult (*)(CUresult, const char **)>("cuGetErrorName");
    const char *s = "?";
    get(r, &s);
    return s;
}
#define CODE(name, call)                               \
    do {                                               \
        printf("%s\t%s\n", name, name_of(call));       \
        fflush(stdout);                                \
    } while (0)

struct tiled {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    cuuint32_t rank = 3;
    char *address = NULL;
    cuuint64_t dim[5] = {64, 32, 16, 8, 4};
    cuuint64_t stride[5] = {256, 8192, 131072, 1048576, 0};
    cuuint32_t box[5] = {16, 8, 4, 2, 1};
    cuuint32_t step[5] = {1, 1, 1, 1, 1};
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    CUtensorMapL2promotion l2 = CU_TENSOR_MAP_L2_PROMOTION_NONE;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    int lower[3] = {-1, -1, -1}, upper[3] = {-1, -1, -1};
    cuuint32_t channels = 16, pixels = 64;
};

static char *memory;
alignas(64) static CUtensorMap map_, other;
static decltype(&cuTensorMapEncodeTiled) encode_tiled;
static decltype(&cuTensorMapEncodeIm2col) encode_im2col;
static decltype(&cuTensorMapReplaceAddress) replace;

static CUresult tile(const tiled &t, CUtensorMap *to = &map_)
{
    memset(&map_, 0, sizeof map_);
    return encode_tiled(to, t.type, t.rank, t.address, t.dim, t.stride, t.box, t.step,
                        t.interleave, t.swizzle, t.l2, t.fill);
}
static CUresult im2col(const tiled &t, CUtensorMap *to = &map_)
{
    memset(&map_, 0, sizeof map_);
    return encode_im2col(to, t.type, t.rank, t.address, t.dim, t.stride, t.lower, t.upper,
                         t.channels, t.pixels, t.step, t.interleave, t.swizzle, t.l2, t.fill);
}
static char label[200];
template <class... A> static const char *say(const char *format, A... a)
{
    snprintf(label, sizeof label, format, a...);
    return label;
}

static void begin()
{
    cudaMalloc(&memory, 1 << 26);
    encode_tiled = entry<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    encode_im2col = entry<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
    replace = entry<decltype(&cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
}
static tiled usual()
{
    tiled t;
    t.address = memory;
    return t;
}
#define CASE(name, ...)           \
    do {                          \
        tiled t = usual();        \
        __VA_ARGS__;              \
        CODE("tiled, " name, tile(t)); \
    } while (0)
#define CASE_IM(name, ...)        \
    do {                          \
        tiled t = usual();        \
        t.rank = 4;               \
        __VA_ARGS__;              \
        CODE("im2col, " name, im2col(t)); \
    } while (0)

#define WITH(...)           \
    do {                    \
        tiled t = usual();  \
        __VA_ARGS__;        \
    } while (0)
#define WITH_IM(...) WITH(t.rank = 4; __VA_ARGS__)

static void entries()
{
    for (const char *name : {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress"})
        for (int version : {11080, 12000, 12070, 12080, 13000}) {
            void *f = NULL;
            cudaDriverEntryPointQueryResult found;
            SAY(say("%s of %d", name, version), cudaGetDriverEntryPointByVersion(name, &f, version, cudaEnableDefault, &found));
            SHOW(say("%s of %d found", name, version), "%d %s", (int)found, f ? "a function" : "nothing");
        }
    int value = -1;
    SAY("attribute tensor map access", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)127, 0));
    SHOW("attribute tensor map access is", "%d", value);
}
static void before_a_context()
{
    encode_tiled = entry<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    tiled t;
    t.address = (char *)0x10000;
    CODE("tiled, before anything else", tile(t));
}
static void tiles()
{
    begin();
    CASE("as it should be", );
    tiled u = usual();
    {
        alignas(64) char room[256];
        for (int off : {0, 8, 16, 32, 64})
            CODE(say("tiled, map %d bytes behind a multiple of 64", off), tile(u, (CUtensorMap *)(room + off)));
    }
    for (int rank : {0, 1, 2, 3, 4, 5, 6})
        WITH(t.rank = rank; CODE(say("tiled, rank %d", rank), tile(t)));
    for (int type = 0; type <= 16; type++)
        for (int fill = 0; fill <= 2; fill++) {
            tiled t = usual();
            t.type = (CUtensorMapDataType)type;
            t.fill = (CUtensorMapFloatOOBfill)fill;
            CODE(say("tiled, type %d, fill %d", type, fill), tile(t));
        }
    for (int type = 13; type <= 15; type++)
        for (int swizzle = 0; swizzle <= 6; swizzle++)
            for (int dim : {64, 128, 256}) {
                tiled t = usual();
                t.type = (CUtensorMapDataType)type;
                t.dim[0] = dim;
                t.box[0] = 128;
                t.swizzle = (CUtensorMapSwizzle)swizzle;
                CODE(say("tiled, type %d, swizzle %d, %d wide, box 128", type, swizzle, dim), tile(t));
            }
    for (long off : {1, 4, 8, 16, 32, 48, 128})
        WITH(t.address += off; CODE(say("tiled, address %ld behind", off), tile(t)));
    CASE("no address", t.address = NULL);
    CASE("an address that is none", t.address = (char *)0x7000);
    CASE("an address of 2^48", t.address = (char *)(1ull << 48));
    CASE("an address of 2^57", t.address = (char *)(1ull << 57));
    CASE("an address of the host", alignas(128) static int v[4]; t.address = (char *)v);
    for (int d = 0; d < 3; d++)
        for (unsigned long long n : {0ull, 1ull, 2ull, 3ull, 65ull, 1ull << 31, (1ull << 32) - 1, 1ull << 32, (1ull << 32) + 1, 1ull << 40}) {
            tiled t = usual();
            t.dim[d] = n;
            CODE(say("tiled, dimension %d of %llu", d, n), tile(t));
        }
    for (int d = 0; d < 2; d++)
        for (unsigned long long n : {0ull, 1ull, 8ull, 16ull, 32ull, 48ull, 240ull, 255ull, 264ull, 272ull, 8176ull, 8208ull, 1ull << 36, (1ull << 40) - 16, 1ull << 40, 1ull << 41}) {
            tiled t = usual();
            t.stride[d] = n;
            CODE(say("tiled, stride %d of %llu", d, n), tile(t));
        }
    CASE("dimension 0 wider than stride 0", t.dim[0] = 1024);
    CASE("dimension 1 higher than stride 1", t.dim[1] = 1024);
    for (int d = 0; d < 3; d++)
        for (unsigned n : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 32u, 64u, 128u, 200u, 255u, 256u, 257u, 512u}) {
            tiled t = usual();
            t.box[d] = n;
            CODE(say("tiled, box %d of %u", d, n), tile(t));
        }
    CASE("box wider than the tensor", t.dim[0] = 4; t.box[0] = 16);
    CASE("box 256 x 256 x 256", t.box[0] = t.box[1] = t.box[2] = 256);
    CASE("box 256 x 256 x 1", t.box[0] = t.box[1] = 256; t.box[2] = 1);
    CASE("box 256 x 128 x 2", t.box[0] = 256; t.box[1] = 128; t.box[2] = 2);
    CASE("box 256 x 64 x 1", t.box[0] = 256; t.box[1] = 64; t.box[2] = 1);
    CASE("box 256 x 228 x 1", t.box[0] = 256; t.box[1] = 228; t.box[2] = 1);
    CASE("box 256 x 227 x 1", t.box[0] = 256; t.box[1] = 227; t.box[2] = 1);
    CASE("box 256 x 232 x 1", t.box[0] = 256; t.box[1] = 232; t.box[2] = 1);
    CASE("bytes, box 8", t.type = CU_TENSOR_MAP_DATA_TYPE_UINT8; t.box[0] = 8);
    CASE("bytes, box 24", t.type = CU_TENSOR_MAP_DATA_TYPE_UINT8; t.box[0] = 24);
    CASE("doubles, box 1", t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64; t.box[0] = 1);
    CASE("doubles, box 3", t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64; t.box[0] = 3);
    CASE("doubles, box 256", t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64; t.box[0] = 256);
    for (int d = 0; d < 3; d++)
        for (unsigned n : {0u, 1u, 2u, 3u, 5u, 8u, 9u}) {
            tiled t = usual();
            t.step[d] = n;
            CODE(say("tiled, step %d of %u", d, n), tile(t));
        }
    for (unsigned n : {0u, 1u, 2u, 8u, 9u}) {
        tiled t = usual();
        t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
        t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
        t.box[0] = 8;
        t.step[0] = n;
        CODE(say("tiled, interleave 16, step 0 of %u", n), tile(t));
    }
    for (int interleave = 0; interleave <= 3; interleave++)
        for (int swizzle = 0; swizzle <= 7; swizzle++)
            for (int box : {8, 16, 32, 64, 128}) {
                tiled t = usual();
                t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
                t.interleave = (CUtensorMapInterleave)interleave;
                t.swizzle = (CUtensorMapSwizzle)swizzle;
                t.box[0] = box;
                CODE(say("tiled, interleave %d, swizzle %d, %d bytes", interleave, swizzle, 2 * box), tile(t));
            }
    for (int rank : {1, 2, 3, 5})
        for (int interleave : {1, 2}) {
            tiled t = usual();
            t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
            t.rank = rank;
            t.interleave = (CUtensorMapInterleave)interleave;
            t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
            CODE(say("tiled, interleave %d, rank %d", interleave, rank), tile(t));
        }
    CASE("interleave 16, 12 bytes", t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; t.box[0] = 3);
    CASE("interleave 32, address 16", t.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; t.box[0] = 8; t.address += 16);
    CASE("interleave 32, stride 272", t.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; t.box[0] = 8; t.stride[0] = 272);
    CASE("interleave 32", t.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; t.box[0] = 8);
    for (int l2 = 0; l2 <= 4; l2++)
        WITH(t.l2 = (CUtensorMapL2promotion)l2; CODE(say("tiled, promotion %d", l2), tile(t)));
}
static void tiles_of_nothing()
{
    begin();
    CODE("tiled, no map", encode_tiled(NULL, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, memory, usual().dim, usual().stride, usual().box, usual().step, usual().interleave, usual().swizzle, usual().l2, usual().fill));
    tiled u = usual();
    CODE("tiled, no dimensions", encode_tiled(&map_, u.type, u.rank, u.address, NULL, u.stride, u.box, u.step, u.interleave, u.swizzle, u.l2, u.fill));
    CODE("tiled, no strides", encode_tiled(&map_, u.type, u.rank, u.address, u.dim, NULL, u.box, u.step, u.interleave, u.swizzle, u.l2, u.fill));
    CODE("tiled, no strides of a vector", encode_tiled(&map_, u.type, 1, u.address, u.dim, NULL, u.box, u.step, u.interleave, u.swizzle, u.l2, u.fill));
    CODE("tiled, no box", encode_tiled(&map_, u.type, u.rank, u.address, u.dim, u.stride, NULL, u.step, u.interleave, u.swizzle, u.l2, u.fill));
    CODE("tiled, no steps", encode_tiled(&map_, u.type, u.rank, u.address, u.dim, u.stride, u.box, NULL, u.interleave, u.swizzle, u.l2, u.fill));
}
static void im2cols()
{
    begin();
    CASE_IM("as it should be", );
    for (int rank : {1, 2, 3, 4, 5, 6}) {
        tiled t = usual();
        t.rank = rank;
        CODE(say("im2col, rank %d", rank), im2col(t));
    }
    tiled u = usual();
    u.rank = 4;
    const int limit[3][4] = {{-32769, -32768, 32767, 32768}, {-129, -128, 127, 128}, {-17, -16, 15, 16}};
    for (int rank = 3; rank <= 5; rank++)
        for (int n : limit[rank - 3]) {
            tiled t = usual();
            t.rank = rank;
            t.dim[1] = t.dim[2] = t.dim[3] = 100000;
            t.lower[rank - 3] = n;
            CODE(say("im2col, rank %d, lower corner %d", rank, n), im2col(t));
            t = usual();
            t.rank = rank;
            t.dim[1] = t.dim[2] = t.dim[3] = 100000;
            t.upper[rank - 3] = n;
            CODE(say("im2col, rank %d, upper corner %d", rank, n), im2col(t));
        }
    for (int n : {-33, -32, -31, -30, -16, 0, 31}) {
        tiled t = usual();
        t.rank = 4;
        t.lower[0] = 0;
        t.upper[0] = n;
        CODE(say("im2col, 32 wide, lower 0, upper %d", n), im2col(t));
        t.lower[0] = -n;
        t.upper[0] = 0;
        CODE(say("im2col, 32 wide, lower %d, upper 0", -n), im2col(t));
    }
    for (unsigned n : {0u, 1u, 3u, 4u, 6u, 8u, 64u, 128u, 256u, 257u})
        WITH_IM(t.channels = n; CODE(say("im2col, %u channels", n), im2col(t)));
    for (unsigned n : {0u, 1u, 3u, 255u, 256u, 512u, 1024u, 1025u})
        WITH_IM(t.pixels = n; CODE(say("im2col, %u pixels", n), im2col(t)));
    CASE_IM("256 channels, 1024 pixels", t.channels = 256; t.pixels = 1024);
    CASE_IM("step 9", t.step[1] = 9);
    CASE_IM("step 8", t.step[1] = 8);
    CASE_IM("swizzle 32, 64 bytes", t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B);
    CASE_IM("swizzle 64, 64 bytes", t.swizzle = CU_TENSOR_MAP_SWIZZLE_64B);
    CASE_IM("interleave 16", t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B);
    CASE_IM("interleave 16, 4 channels", t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; t.channels = 4);
    CASE_IM("stride 8", t.stride[0] = 8);
    CASE_IM("address 8", t.address += 8);
    auto wide = entry<decltype(&cuTensorMapEncodeIm2colWide)>("cuTensorMapEncodeIm2colWide");
    if (wide)
        CODE("im2col wide", wide(&map_, u.type, u.rank, u.address, u.dim, u.stride, -1, -1, u.channels, u.pixels, u.step, u.interleave, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_128B, u.l2, u.fill));
}
static void im2cols_of_nothing()
{
    begin();
    tiled u = usual();
    u.rank = 4;
    CODE("im2col, no map", im2col(u, NULL));
}
static void replaced()
{
    begin();
    tiled u = usual();
    tile(u);
    for (long off : {0, 1, 8, 16, 4096})
        CODE(say("replace address, %ld behind", off), replace(&map_, memory + off));
    CODE("replace address by none", replace(&map_, NULL));
    CODE("replace address 2^57", replace(&map_, (void *)(1ull << 57)));
    memset(&other, 0, sizeof other);
    CODE("replace address of zeros", replace(&other, memory));
    memset(&other, 0xa5, sizeof other);
    CODE("replace address of garbage", replace(&other, memory));
    u.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
    u.interleave = CU_TENSOR_MAP_INTERLEAVE_32B;
    u.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
    CODE("tiled, interleave 32 for the next", tile(u));
    CODE("replace address of interleave 32, 16 behind", replace(&map_, memory + 16));
    u = usual();
    u.rank = 4;
    im2col(u);
    CODE("replace address of im2col", replace(&map_, memory + 32));
    tile(usual());
    other = map_;
    replace(&map_, memory + 4096);
    u = usual();
    u.address += 4096;
    CUtensorMap kept = map_;
    tile(u);
    SHOW("a replaced address makes the same map as encoding it", "%d", memcmp(&kept, &map_, sizeof kept) == 0);
    SHOW("words that differ from the one before", "%d %d", kept.opaque[0] != other.opaque[0], memcmp(kept.opaque + 1, other.opaque + 1, 120) != 0);
}

int main(int argc, char **argv)
{
    const section all[] = {{"entries", entries}, {"before", before_a_context}, {"tiles", tiles}, {"nothing", tiles_of_nothing}, {"im2cols", im2cols}, {"im2col of nothing", im2cols_of_nothing}, {"replaced", replaced}};
    return run_sections(all, sizeof all / sizeof *all, argc, argv);
}
