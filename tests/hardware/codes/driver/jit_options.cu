/* Options of the compiler that the driver has in it: what each call returns, what it writes back,
 * and what the kernels are like then. */
#include "say.h"
#include "try_driver.h"

#include <string>
#include <utility>

typedef std::vector<std::pair<int, void *>> options;
#define NUMBER(n) ((void *)(uintptr_t)(n))

/* A kernel that holds LIVE sums at once, with DIRECTIVES. */
static std::string holding(int live, const char *directives)
{
    std::string s = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry hold(.param .u64 p)\n";
    s += directives;
    s += "{\n.reg .f32 %f<" + std::to_string(live + 2) +
         ">; .reg .b64 %d<2>;\n"
         "ld.param.u64 %d1,[p];\n";
    for (int i = 0; i < live; i++) {
        s += "ld.volatile.global.f32 %f" + std::to_string(i) + ",[%d1+" + std::to_string(4 * i) +
             "];\n";
    }
    for (int i = live - 1; i >= 0; i--) {
        s += "st.volatile.global.f32 [%d1+" + std::to_string(4 * i) + "],%f" +
             std::to_string(live - 1 - i) + ";\n";
    }
    return s + "ret;\n}\n";
}

static const char *const bad_ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                   ".visible .entry k()\n{\n .reg .b32 %r<2>;\n mov.b32 %r1, %r7;\n"
                                   " nonsense.b32 %r0, 1;\n ret;\n}\n";
static const char *const missing_ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                       ".extern .func gone();\n"
                                       ".visible .entry k()\n{\n call gone;\n ret;\n}\n";
static const char *const newer_ptx = ".version 7.0\n.target sm_100\n.address_size 64\n"
                                     ".visible .entry k()\n{\n ret;\n}\n";

static void begin()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    OK(cuInit(0));
    CUcontext c;
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuCtxSetCurrent(c));
}

/* How many registers a kernel has that nothing limits is the compiler's: few or many. */
static void about(const char *name, CUfunction f)
{
    int registers = -1, local = -1, threads = -1;
    OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    OK(cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, f));
    OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    const char *spills = local > 0 ? ", spills" : "";
    if (registers < 24) {
        printf("%s\tfew registers, %d threads%s\n", name, threads, spills);
    } else if (registers > 80) {
        printf("%s\tmany registers%s\n", name, spills);
    } else {
        printf("%s\t%d registers, %d threads%s\n", name, registers, threads, spills);
    }
}

/* What of the options was written to, but the addresses and the time. */
static void written(const char *name, const options &before, const std::vector<void *> &after)
{
    for (size_t i = 0; i < before.size(); i++) {
        if (before[i].first == CU_JIT_WALL_TIME) {
            float ms;
            memcpy(&ms, &after[i], 4);
            printf("%s wall time\t%s\n", name, ms > 0 ? "some" : ms == 0 ? "0" : "less");
        } else if (before[i].second != after[i]) {
            const bool size = before[i].first == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
                              before[i].first == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
            const unsigned long long v = (uintptr_t)after[i];
            size &&v ? printf("%s option %d\tsome\n", name, before[i].first)
                     : printf("%s option %d\t%llu\n", name, before[i].first, v);
        }
    }
}

static void with(const char *name, const char *text, const options &o, const char *kernel = "hold")
{
    std::vector<CUjit_option> key;
    std::vector<void *> value;
    for (auto &one : o) {
        key.push_back((CUjit_option)one.first);
        value.push_back(one.second);
    }
    CUmodule m = NULL;
    CUfunction f = NULL;
    CUresult r = cuModuleLoadDataEx(&m, text, key.size(), key.data(), value.data());
    printf("%s\t%s\n", name, nm(r));
    written(name, o, value);
    if (!r) {
        r = cuModuleGetFunction(&f, m, kernel);
        if (r) {
            printf("%s kernel\t%s\n", name, nm(r));
        } else {
            about((std::string(name) + " gives").c_str(), f);
        }
        OK(cuModuleUnload(m));
    }
    fflush(stdout);
}

static std::string label(const char *what, long long n)
{
    return std::string(what) + " " + std::to_string(n);
}

static void registers()
{
    begin();
    const std::string few = holding(4, ""), many = holding(100, ""), most = holding(400, "");
    with("few", few.c_str(), {});
    with("many", many.c_str(), {});
    with("most", most.c_str(), {});
    for (long long n : {0,  1,  8,  15,  16,  17,  20,  23,  24,  25,   30, 32,
                        40, 50, 64, 100, 128, 200, 255, 256, 257, 1000, -1}) {
        with(label("few within", n).c_str(), few.c_str(), {{CU_JIT_MAX_REGISTERS, NUMBER(n)}});
        with(label("many within", n).c_str(), many.c_str(), {{CU_JIT_MAX_REGISTERS, NUMBER(n)}});
    }
    with("most within 64", most.c_str(), {{CU_JIT_MAX_REGISTERS, NUMBER(64)}});
    with("twice", many.c_str(),
         {{CU_JIT_MAX_REGISTERS, NUMBER(32)}, {CU_JIT_MAX_REGISTERS, NUMBER(64)}});
}

static void directives()
{
    begin();
    const std::string threads = holding(100, ".maxntid 256,1,1\n"),
                      crowded = holding(100, ".maxntid 256,1,1\n.minnctapersm 6\n"),
                      least = holding(100, ".maxnreg 40\n"),
                      full = holding(100, ".reqntid 1024,1,1\n");
    const std::pair<const char *, const char *> all[] = {{"maxntid", threads.c_str()},
                                                         {"minnctapersm", crowded.c_str()},
                                                         {"maxnreg", least.c_str()},
                                                         {"reqntid", full.c_str()}};
    for (auto &one : all) {
        with(one.first, one.second, {});
        for (int n : {32, 80}) {
            std::string name = label(one.first, n);
            with(name.c_str(), one.second, {{CU_JIT_MAX_REGISTERS, NUMBER(n)}});
            name += " over directives";
            with(
                name.c_str(), one.second,
                {{CU_JIT_MAX_REGISTERS, NUMBER(n)}, {CU_JIT_OVERRIDE_DIRECTIVE_VALUES, NUMBER(1)}});
        }
    }
    const std::string many = holding(100, "");
    for (int n : {0, 1, 2, 8, 16, 32, 100}) {
        with(label("min blocks", n).c_str(), many.c_str(), {{CU_JIT_MIN_CTA_PER_SM, NUMBER(n)}});
        with(label("min blocks of 256,", n).c_str(), many.c_str(),
             {{CU_JIT_MAX_THREADS_PER_BLOCK, NUMBER(256)}, {CU_JIT_MIN_CTA_PER_SM, NUMBER(n)}});
        with(label("min blocks, maxntid,", n).c_str(), threads.c_str(),
             {{CU_JIT_MIN_CTA_PER_SM, NUMBER(n)}, {CU_JIT_OVERRIDE_DIRECTIVE_VALUES, NUMBER(1)}});
    }
    for (int n : {0, 1, 32, 100, 256, 1024, 2048}) {
        with(label("max threads", n).c_str(), many.c_str(),
             {{CU_JIT_MAX_THREADS_PER_BLOCK, NUMBER(n)}});
        with(label("max threads, maxntid,", n).c_str(), threads.c_str(),
             {{CU_JIT_MAX_THREADS_PER_BLOCK, NUMBER(n)},
              {CU_JIT_OVERRIDE_DIRECTIVE_VALUES, NUMBER(1)}});
    }
}

static void threads()
{
    begin();
    const std::string few = holding(4, ""), many = holding(100, ""), most = holding(400, ""),
                      within = holding(100, ".maxntid 256,1,1\n");
    for (int n : {1, 32, 33, 64, 100, 256, 512, 1000, 1024, 1025, 2048, 5000}) {
        with(label("few for", n).c_str(), few.c_str(), {{CU_JIT_THREADS_PER_BLOCK, NUMBER(n)}});
        with(label("many for", n).c_str(), many.c_str(), {{CU_JIT_THREADS_PER_BLOCK, NUMBER(n)}});
        with(label("most for", n).c_str(), most.c_str(), {{CU_JIT_THREADS_PER_BLOCK, NUMBER(n)}});
        with(label("within for", n).c_str(), within.c_str(),
             {{CU_JIT_THREADS_PER_BLOCK, NUMBER(n)}});
    }
    with("both", many.c_str(),
         {{CU_JIT_THREADS_PER_BLOCK, NUMBER(256)}, {CU_JIT_MAX_REGISTERS, NUMBER(32)}});
    with("both the other way", many.c_str(),
         {{CU_JIT_MAX_REGISTERS, NUMBER(32)}, {CU_JIT_THREADS_PER_BLOCK, NUMBER(256)}});
    with("two kernels", (few + ".visible .entry other() { ret; }\n").c_str(),
         {{CU_JIT_THREADS_PER_BLOCK, NUMBER(256)}});
}

/* Each option alone, with values that it has and has not. */
static void each()
{
    begin();
    const std::string many = holding(100, "");
    for (int option = -1; option <= CU_JIT_NUM_OPTIONS + 2; option++) {
        for (long long v : {0, 1, 2, 3, 4, 5, 70, 90, 1000, -1}) {
            const bool address =
                option == CU_JIT_INFO_LOG_BUFFER || option == CU_JIT_ERROR_LOG_BUFFER ||
                option == CU_JIT_GLOBAL_SYMBOL_NAMES || option == CU_JIT_GLOBAL_SYMBOL_ADDRESSES ||
                option == CU_JIT_REFERENCED_KERNEL_NAMES ||
                option == CU_JIT_REFERENCED_VARIABLE_NAMES;
            if ((address && v) || (option == CU_JIT_THREADS_PER_BLOCK && v <= 0)) {
                continue; /* that NVIDIA's library crashes at */
            }
            CUjit_option key = (CUjit_option)option;
            void *value = NUMBER(v);
            CUmodule m = NULL;
            CUresult r = cuModuleLoadDataEx(&m, many.c_str(), 1, &key, &value);
            printf("option %d = %lld\t%s\n", option, v, nm(r));
            fflush(stdout);
        }
    }
}

static void targets()
{
    begin();
    const std::string many = holding(100, "");
    for (int n : {0,
                  20,
                  30,
                  50,
                  52,
                  60,
                  70,
                  72,
                  75,
                  80,
                  86,
                  87,
                  89,
                  90,
                  100,
                  103,
                  110,
                  120,
                  121,
                  90 | CU_COMPUTE_ACCELERATED_TARGET_BASE,
                  100 | CU_COMPUTE_ACCELERATED_TARGET_BASE,
                  100 | CU_COMPUTE_FAMILY_TARGET_BASE,
                  12345}) {
        with(label("target", n).c_str(), many.c_str(), {{CU_JIT_TARGET, NUMBER(n)}});
        with(label("target and context", n).c_str(), many.c_str(),
             {{CU_JIT_TARGET, NUMBER(n)}, {CU_JIT_TARGET_FROM_CUCONTEXT, NULL}});
    }
    with("newer", newer_ptx, {}, "k");
    with("newer for 90", newer_ptx, {{CU_JIT_TARGET, NUMBER(90)}}, "k");
    with("newer, prefer PTX", newer_ptx, {{CU_JIT_FALLBACK_STRATEGY, NUMBER(CU_PREFER_PTX)}}, "k");
    for (int n : {0, 1, 2, 3, 4, 5}) {
        with(label("level", n).c_str(), many.c_str(), {{CU_JIT_OPTIMIZATION_LEVEL, NUMBER(n)}});
        with(label("cache mode", n).c_str(), many.c_str(), {{CU_JIT_CACHE_MODE, NUMBER(n)}});
        with(label("fallback", n).c_str(), many.c_str(), {{CU_JIT_FALLBACK_STRATEGY, NUMBER(n)}});
        with(label("position independent", n).c_str(), many.c_str(),
             {{CU_JIT_POSITION_INDEPENDENT_CODE, NUMBER(n)}});
    }
    with("debug", many.c_str(), {{CU_JIT_GENERATE_DEBUG_INFO, NUMBER(1)}});
    with("debug and level 4", many.c_str(),
         {{CU_JIT_GENERATE_DEBUG_INFO, NUMBER(1)}, {CU_JIT_OPTIMIZATION_LEVEL, NUMBER(4)}});
    with("debug and 32 registers", many.c_str(),
         {{CU_JIT_GENERATE_DEBUG_INFO, NUMBER(1)}, {CU_JIT_MAX_REGISTERS, NUMBER(32)}});
    with("lines", many.c_str(), {{CU_JIT_GENERATE_LINE_INFO, NUMBER(1)}});
    with("fast", many.c_str(), {{CU_JIT_FAST_COMPILE, NUMBER(1)}});
}

/* What is in a buffer of ROOM bytes after '#' everywhere: nothing, an empty string, text that was
 * cut, or all of it; FITS where the length and the size that was given back agree. */
static void buffer(const char *name, const char *what, const char *text, size_t room, void *size)
{
    const size_t n = strnlen(text, 8192), told = (unsigned)(uintptr_t)size;
    const char *is = text[0] == '#' ? "nothing" : n == 0 ? "empty" : n + 1 == room ? "cut" : "text";
    const bool beyond = room < 8192 && memchr(text + room, '#', 1) == NULL;
    printf("%s %s\t%s, size %s%s\n", name, what, is,
           told == 0       ? "0"
           : told == n + 1 ? "as long as it is"
                           : "another",
           beyond && room ? ", beyond its end" : "");
}

static void logs_of(const char *name, const char *text, int room, int verbose, bool size_first)
{
    static char info[8192], error[8192];
    memset(info, '#', sizeof info);
    memset(error, '#', sizeof error);
    CUjit_option key[5] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                           CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                           CU_JIT_LOG_VERBOSE};
    void *value[5] = {info, NUMBER(room), error, NUMBER(room), NUMBER(verbose)};
    if (size_first) {
        std::swap(key[0], key[1]);
        std::swap(value[0], value[1]);
        std::swap(key[2], key[3]);
        std::swap(value[2], value[3]);
    }
    CUmodule m = NULL;
    CUresult r = cuModuleLoadDataEx(&m, text, verbose < 0 ? 4 : 5, key, value);
    printf("%s\t%s\n", name, nm(r));
    buffer(name, "info", info, room, value[size_first ? 0 : 1]);
    buffer(name, "error", error, room, value[size_first ? 2 : 3]);
    if (verbose > 0 && room == 4096 && !r) {
        printf("%s says\t%s%s\n", name,
               strstr(info, "Compiling entry function 'hold'") ? "kernel " : "",
               strstr(info, " registers") ? "registers" : "");
    }
    fflush(stdout);
}

static void logs()
{
    begin();
    const std::string many = holding(100, "");
    const std::string spills = holding(400, "");
    for (int verbose : {-1, 0, 1, 2}) {
        logs_of(label("fine, verbose", verbose).c_str(), many.c_str(), 4096, verbose, false);
        logs_of(label("spills, verbose", verbose).c_str(), spills.c_str(), 4096, verbose, false);
        logs_of(label("wrong, verbose", verbose).c_str(), bad_ptx, 4096, verbose, false);
        logs_of(label("missing, verbose", verbose).c_str(), missing_ptx, 4096, verbose, false);
        logs_of(label("newer, verbose", verbose).c_str(), newer_ptx, 4096, verbose, false);
        logs_of(label("no PTX, verbose", verbose).c_str(), "nonsense", 4096, verbose, false);
    }
    for (int room : {0, 1, 2, 10, 40}) {
        logs_of(label("fine in", room).c_str(), many.c_str(), room, 1, false);
        logs_of(label("wrong in", room).c_str(), bad_ptx, room, 1, false);
    }
    logs_of("size first", many.c_str(), 4096, 1, true);
    logs_of("size first, wrong", bad_ptx, 4096, 1, true);
    char room[64];
    memset(room, '#', sizeof room);
    with("no size", many.c_str(),
         {{CU_JIT_INFO_LOG_BUFFER, room}, {CU_JIT_LOG_VERBOSE, NUMBER(1)}});
    with("no buffer", many.c_str(),
         {{CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, NUMBER(64)}, {CU_JIT_LOG_VERBOSE, NUMBER(1)}});
    with("no buffer for errors", bad_ptx, {{CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, NUMBER(64)}});
    printf("no size wrote\t%d\n", room[0] != '#');
    TRY(cuModuleLoadDataEx((CUmodule *)room, many.c_str(), 1, NULL, NULL));
    CUjit_option key = CU_JIT_MAX_REGISTERS;
    TRY(cuModuleLoadDataEx((CUmodule *)room, many.c_str(), 1, &key, NULL));
    void *value = NUMBER(32);
    TRY(cuModuleLoadDataEx((CUmodule *)room, many.c_str(), 1, NULL, &value));
    TRY(cuModuleLoadDataEx((CUmodule *)room, many.c_str(), 0, &key, &value));
}

static void linked(const char *name, const options &at_create, const options &at_add,
                   const char *text)
{
    std::vector<CUjit_option> key, more;
    std::vector<void *> value, values;
    for (auto &one : at_create) {
        key.push_back((CUjit_option)one.first);
        value.push_back(one.second);
    }
    for (auto &one : at_add) {
        more.push_back((CUjit_option)one.first);
        values.push_back(one.second);
    }
    CUlinkState link = NULL;
    CUresult r = cuLinkCreate(key.size(), key.data(), value.data(), &link);
    printf("%s create\t%s\n", name, nm(r));
    if (r) {
        return;
    }
    r = cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)text, strlen(text) + 1, "text", more.size(),
                      more.data(), values.data());
    printf("%s add\t%s\n", name, nm(r));
    void *code = NULL;
    size_t size = 0;
    if (!r) {
        r = cuLinkComplete(link, &code, &size);
        printf("%s complete\t%s\n", name, nm(r));
    }
    written(name, at_create, value);
    written(name, at_add, values);
    CUmodule m;
    CUfunction f;
    if (!r && !cuModuleLoadData(&m, code) && !cuModuleGetFunction(&f, m, "hold")) {
        about((std::string(name) + " gives").c_str(), f);
    }
    OK(cuLinkDestroy(link));
    fflush(stdout);
}

static void linker()
{
    begin();
    static char info[4096], error[4096];
    const std::string many = holding(100, "");
    linked("plain", {}, {}, many.c_str());
    linked("registers at create", {{CU_JIT_MAX_REGISTERS, NUMBER(32)}}, {}, many.c_str());
    linked("registers at add", {}, {{CU_JIT_MAX_REGISTERS, NUMBER(32)}}, many.c_str());
    linked("registers at both", {{CU_JIT_MAX_REGISTERS, NUMBER(32)}},
           {{CU_JIT_MAX_REGISTERS, NUMBER(64)}}, many.c_str());
    linked("threads at create", {{CU_JIT_THREADS_PER_BLOCK, NUMBER(1024)}}, {}, many.c_str());
    linked("time at create", {{CU_JIT_WALL_TIME, NULL}}, {}, many.c_str());
    linked("time at add", {}, {{CU_JIT_WALL_TIME, NULL}}, many.c_str());
    linked("optimization at add", {}, {{CU_JIT_OPTIMIZATION_LEVEL, NUMBER(0)}}, many.c_str());
    linked("level 9", {{CU_JIT_OPTIMIZATION_LEVEL, NUMBER(9)}}, {}, many.c_str());
    linked("level 9 at add", {}, {{CU_JIT_OPTIMIZATION_LEVEL, NUMBER(9)}}, many.c_str());
    linked("option 999", {{999, NULL}}, {}, many.c_str());
    linked("option 999 at add", {}, {{999, NULL}}, many.c_str());
    linked("linked for 90", {{CU_JIT_TARGET, NUMBER(90)}}, {}, many.c_str());
    linked("linked for 80", {{CU_JIT_TARGET, NUMBER(80)}}, {}, many.c_str());
    for (const char *text : {many.c_str(), bad_ptx, missing_ptx}) {
        const char *what = text == bad_ptx ? "wrong" : text == missing_ptx ? "missing" : "fine";
        memset(info, '#', sizeof info);
        memset(error, '#', sizeof error);
        linked(what,
               {{CU_JIT_INFO_LOG_BUFFER, info},
                {CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, NUMBER(sizeof info)},
                {CU_JIT_ERROR_LOG_BUFFER, error},
                {CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, NUMBER(sizeof error)},
                {CU_JIT_LOG_VERBOSE, NUMBER(1)}},
               {}, text);
        printf("%s log\t%s %s\n", what,
               info[0] == '#' ? "nothing"
               : info[0]      ? "text"
                              : "empty",
               error[0] == '#' ? "nothing"
               : error[0]      ? "text"
                               : "empty");
    }
    static int here[4];
    const char *names[] = {"outside"};
    void *addresses[] = {here};
    linked("symbols",
           {{CU_JIT_GLOBAL_SYMBOL_NAMES, names},
            {CU_JIT_GLOBAL_SYMBOL_ADDRESSES, addresses},
            {CU_JIT_GLOBAL_SYMBOL_COUNT, NUMBER(1)}},
           {}, many.c_str());
    for (int o : {CU_JIT_LTO, CU_JIT_FTZ, CU_JIT_PREC_DIV, CU_JIT_PREC_SQRT, CU_JIT_FMA,
                  CU_JIT_REFERENCED_KERNEL_NAMES, CU_JIT_REFERENCED_KERNEL_COUNT,
                  CU_JIT_REFERENCED_VARIABLE_NAMES, CU_JIT_REFERENCED_VARIABLE_COUNT,
                  CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES, CU_JIT_POSITION_INDEPENDENT_CODE}) {
        linked(label("linker option", o).c_str(), {{o, NULL}}, {}, many.c_str());
    }
}

static void libraries()
{
    begin();
    const std::string many = holding(100, "");
    for (long long n : {16, 32, 64, 999}) {
        CUjit_option key = CU_JIT_MAX_REGISTERS;
        void *value = NUMBER(n);
        CUlibrary l = NULL;
        CUkernel k = NULL;
        CUresult r = cuLibraryLoadData(&l, many.c_str(), &key, &value, 1, NULL, NULL, 0);
        printf("library within %lld\t%s\n", n, nm(r));
        if (!r) {
            OK(cuLibraryGetKernel(&k, l, "hold"));
            int v = -1;
            r = cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0);
            printf("library within %lld gives\t%s %d\n", n, nm(r), v > 80 ? 0 : v);
            OK(cuLibraryUnload(l));
        }
    }
    for (int o : {-1, 0, 1, 2, 3, 100}) {
        for (int v : {0, 1}) {
            CUlibraryOption key = (CUlibraryOption)o;
            void *value = NUMBER(v);
            CUlibrary l = NULL;
            if (!o && v) {
                continue; /* an address */
            }
            CUresult r = cuLibraryLoadData(&l, many.c_str(), NULL, NULL, 0, &key, &value, 1);
            printf("library option %d = %d\t%s\n", o, v, nm(r));
        }
    }
    for (int o : {-1, 999, (int)CU_JIT_NUM_OPTIONS, (int)CU_JIT_OPTIMIZATION_LEVEL}) {
        CUjit_option key = (CUjit_option)o;
        void *value = NUMBER(9);
        CUlibrary l = NULL;
        CUresult r = cuLibraryLoadData(&l, many.c_str(), &key, &value, 1, NULL, NULL, 0);
        printf("library with option %d\t%s\n", o, nm(r));
    }
    CUlibrary l = NULL;
    CUjit_option key[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    static char error[1000];
    memset(error, '#', sizeof error);
    void *value[] = {error, NUMBER(sizeof error)};
    TRY(cuLibraryLoadData(&l, bad_ptx, key, value, 2, NULL, NULL, 0));
    printf("library error size\t%llu\n", (unsigned long long)(uintptr_t)value[1]);
    CUmodule m = NULL;
    if (l) {
        TRY(cuLibraryGetModule(&m, l));
    }
    printf("library error\t%d\n", error[0] != '#');
    TRY(cuLibraryLoadData(&l, many.c_str(), NULL, NULL, 1, NULL, NULL, 0));
    TRY(cuLibraryLoadData(&l, many.c_str(), NULL, NULL, 0, NULL, NULL, 1));
}

static void of_runtime()
{
    begin();
    const std::string many = holding(100, "");
    cudaLibrary_t rl;
    cudaKernel_t rk;
    cudaJitOption rkey = cudaJitMaxRegisters;
    void *rvalue = NUMBER(32);
    SAY("runtime library",
        cudaLibraryLoadData(&rl, many.c_str(), &rkey, &rvalue, 1, NULL, NULL, 0));
    SAY("runtime kernel", cudaLibraryGetKernel(&rk, rl, "hold"));
    cudaFuncAttributes a = {};
    SAY("runtime attributes", cudaFuncGetAttributes(&a, (const void *)rk));
    SHOW("runtime registers", "%d", a.numRegs);
    for (int o = -1; o < 34; o++) {
        rkey = (cudaJitOption)o;
        if (o == cudaJitInfoLogBuffer || o == cudaJitErrorLogBuffer) {
            continue;
        }
        for (int v : {0, 1, 3, 9}) {
            rvalue = NUMBER(v);
            SAY((label("runtime option", o) + " = " + std::to_string(v)).c_str(),
                cudaLibraryLoadData(&rl, many.c_str(), &rkey, &rvalue, 1, NULL, NULL, 0));
        }
    }
}

static const section sections[] = {
    {"registers", registers}, {"directives", directives},     {"threads", threads},
    {"each", each},           {"targets", targets},           {"logs", logs},
    {"linker", linker},       {"of the runtime", of_runtime}, {"libraries", libraries}};

int main(int argc, char **argv)
{
    return run_sections(sections, sizeof sections / sizeof *sections, argc, argv);
}
