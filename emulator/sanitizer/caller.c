/* Find the source line of a CUDA API call in host code. glibc unwinds the stack, libdw finds the
 * lines (DWARF 5, sections 3.3.8, inlined calls, and 6.2). */
#include "caller.h"

#include "../base/lock.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char *__cxa_demangle(const char *name, char *out, size_t *bytes, int *status)
    __attribute__((weak));

/* --- taking ----------------------------------------------------------------------------------- */

/* Does the address lie in one of warpbook's own libraries, libcudart and libcuda? */
static bool is_warpbook_library(const Dl_info *at)
{
    static const void *own;
    if (!own) {
        Dl_info self;
        own = dladdr((const void *)(uintptr_t)is_warpbook_library, &self) ? self.dli_fbase : NULL;
    }
    const char *slash = at->dli_fname ? strrchr(at->dli_fname, '/') : NULL;
    const char *name = slash ? slash + 1 : at->dli_fname;
    return at->dli_fbase == own ||
           (name && (strncmp(name, "libcuda.so", 10) == 0 || strcmp(name, "libcudart.so.12") == 0));
}

void san_capture_caller(san_caller *c, uint64_t number)
{
    void *frames[SAN_MAX_FRAMES + 16];
    const int n = backtrace(frames, SAN_MAX_FRAMES + 16);
    *c = (san_caller){.number = number};
    bool inside = true;
    for (int k = 0; k < n && c->depth < SAN_MAX_FRAMES; k++) {
        Dl_info at;
        /* an address within the call instruction */
        const char *before = (const char *)frames[k] - 1;
        if (inside && dladdr(before, &at) && is_warpbook_library(&at)) {
            c->call = at.dli_sname;
        } else {
            inside = false;
            c->frame[c->depth++] = (uint64_t)(uintptr_t)frames[k];
        }
    }
}

void san_skip_own_frames(san_caller *c)
{
    Dl_info at;
    uint32_t k = 0, n = 0;
    while (k < 2 && k < c->depth &&
           !(dladdr((const char *)(uintptr_t)c->frame[k] - 1, &at) && is_warpbook_library(&at)))
        k++; /* the C library's memcpy, for instance */
    if (k == 2 || k == c->depth)
        return;
    while (k < c->depth && dladdr((const char *)(uintptr_t)c->frame[k] - 1, &at) &&
           is_warpbook_library(&at)) {
        c->call = at.dli_sname;
        k++;
    }
    for (; k < c->depth; k++)
        c->frame[n++] = c->frame[k];
    c->depth = n;
}

/* --- lines ------------------------------------------------------------------------------------ */

static const Dwfl_Callbacks dwfl_callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                              .find_debuginfo = dwfl_standard_find_debuginfo,
                                              .debuginfo_path = &(char *){NULL}};

/* The debug information of this process. It is opened at first use and kept open. */
static Dwfl *debug_information(void)
{
    static Dwfl *d;
    static bool tried;
    if (!tried) {
        tried = true;
        d = dwfl_begin(&dwfl_callbacks);
    }
    if (d) { /* libraries may have been loaded since the last report */
        dwfl_report_begin_add(d);
        dwfl_linux_proc_report(d, getpid());
        dwfl_report_end(d, NULL, NULL);
    }
    return d;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Is PATH the program's own code, not a header or a file that nvcc generated? */
static bool is_program_source(const char *path)
{
    static const char *const others[] = {".h",      ".hpp",      ".cuh", ".inl",
                                         ".stub.c", "link.stub", ".ii",  ".cudafe1.cpp"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (ends_with(path, others[k]))
            return false;
    return true;
}

/* A search for the source position of a call, from the innermost function outwards. The best
 * position so far is kept. */
typedef struct position_search {
    san_host_position *out; /* best position so far */
    const char *kernel;     /* symbol of the launched kernel on the host, or NULL */
    bool own;               /* `out` holds a position in the program's own code, not in a header */
    bool in_stub;           /* the function looked at last is a launch stub; a kernel calls it */
} position_search;

static bool is_launch_stub(const char *name)
{
    return name && strstr(name, "__device_stub_");
}

static bool is_kernel(const position_search *s, const char *name)
{
    return name && s->kernel && strcmp(name, s->kernel) == 0;
}

/* Does the function NAME belong to a kernel launch? A launch passes through the stubs that nvcc
 * makes for the kernel, and through the kernel's own name on the host, which an inlined function
 * may lack. Their source lines are in the kernel, not at the launch. NAME is looked at after the
 * functions that it calls. */
static bool is_launch_function(position_search *s, const char *name)
{
    const bool called_stub = s->in_stub;
    s->in_stub = is_launch_stub(name);
    return called_stub || s->in_stub || is_kernel(s, name);
}

/* If the source position PATH, LINE, COLUMN is the best of search S so far, keep it. */
static void keep_better_position(position_search *s, const char *path, Dwarf_Word line,
                                 Dwarf_Word column)
{
    if (!path || !line || s->own)
        return;
    s->own = is_program_source(path);
    if (s->own || !s->out->line) {
        snprintf(s->out->path, sizeof s->out->path, "%s", path);
        s->out->line = (uint32_t)line;
        s->out->column = (uint32_t)column;
    }
}

static bool is_function(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_inlined_subroutine || dwarf_tag(die) == DW_TAG_subprogram;
}

static const char *name_of_function(Dwarf_Die *die)
{
    Dwarf_Attribute value;
    Dwarf_Attribute *name = dwarf_attr_integrate(die, DW_AT_linkage_name, &value);
    return name ? dwarf_formstring(name) : dwarf_diename(die);
}

static Dwarf_Word attribute_number(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute value;
    Dwarf_Word number = 0;
    return dwarf_formudata(dwarf_attr(die, attribute, &value), &number) ? 0 : number;
}

/* The functions at ADDRESS that were inlined into one another, innermost first, and their
 * enclosing scopes: a malloc'd array of *COUNT. From an inlined function, dwarf_getscopes
 * continues where the function is defined, dwarf_getscopes_die where it was called. */
static Dwarf_Die *inlined_scopes(Dwarf_Die *unit, Dwarf_Addr address, int *count)
{
    Dwarf_Die *scope = NULL, *around = NULL;
    const int n = dwarf_getscopes(unit, address, &scope);
    *count = 0;
    for (int k = 0; k < n && !around; k++)
        if (dwarf_tag(&scope[k]) == DW_TAG_inlined_subroutine)
            *count = dwarf_getscopes_die(&scope[k], &around);
    free(scope);
    return around;
}

/* Update the best position of search S with the source line AT of ADDRESS, then with the lines that
 * called the functions inlined at ADDRESS. Lines inside the stub that nvcc generates for a kernel
 * launch are omitted. */
static void keep_best_position_at(position_search *s, Dwarf_Die *unit, Dwarf_Addr address,
                                  Dwfl_Line *at)
{
    int line = 0, column = 0, count = 0;
    const char *path = at ? dwfl_lineinfo(at, NULL, &line, &column, NULL, NULL) : NULL;
    Dwarf_Die *scope = unit ? inlined_scopes(unit, address, &count) : NULL;
    Dwarf_Files *files = NULL;
    size_t file_count = 0;
    if (count < 1 || dwarf_getsrcfiles(unit, &files, &file_count) != 0) {
        keep_better_position(s, path, (Dwarf_Word)line, (Dwarf_Word)column);
        count = 0;
    }
    for (int k = 0; k < count; k++) {
        if (!is_function(&scope[k]))
            continue;
        if (!is_launch_function(s, name_of_function(&scope[k])))
            keep_better_position(s, path, (Dwarf_Word)line, (Dwarf_Word)column);
        /* the function around this one made the call from there */
        const Dwarf_Word file = attribute_number(&scope[k], DW_AT_call_file);
        path = file && file < file_count ? dwarf_filesrc(files, file, NULL, NULL) : NULL;
        line = (int)attribute_number(&scope[k], DW_AT_call_line);
        column = (int)attribute_number(&scope[k], DW_AT_call_column);
    }
    free(scope);
}

/* Write NAME demangled and without parameters to OUT, at most SIZE bytes. */
static void plain_function_name(const char *name, char *out, size_t size)
{
    int status = -1;
    const bool is_mangled =
        __cxa_demangle && strncmp(name, "_Z", 2) == 0; /* not `f`, the type float */
    char *shown = is_mangled ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
    snprintf(out, size, "%s", status == 0 && shown ? shown : name);
    free(shown);
    char *open = strchr(out, '(');
    if (open && open != out)
        *open = '\0';
}

static const char *symbol_at(Dwfl_Module *m, uint64_t address)
{
    GElf_Off offset = 0;
    GElf_Sym sym;
    return m ? dwfl_module_addrinfo(m, address, &offset, &sym, NULL, NULL, NULL) : NULL;
}

/* Is M the program itself, not a system library? */
static bool is_program_module(Dwfl_Module *m)
{
    const char *name = dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    return !name || (strncmp(name, "/lib", 4) != 0 && strncmp(name, "/usr/", 5) != 0);
}

static void search_stack_frame(position_search *s, Dwfl *d, uint64_t address)
{
    Dwfl_Module *m = dwfl_addrmodule(d, address);
    const char *symbol = symbol_at(m, address);
    Dwarf_Addr bias = 0;
    if (!m || !is_program_module(m))
        return;
    if (is_launch_stub(symbol) || is_kernel(s, symbol)) {
        s->in_stub = is_launch_stub(symbol);
        return;
    }
    if (symbol && !s->out->function[0])
        plain_function_name(symbol, s->out->function, sizeof s->out->function);
    Dwarf_Die *unit = dwfl_module_addrdie(m, address, &bias);
    keep_best_position_at(s, unit, address - bias, dwfl_module_getsrc(m, address));
}

static pthread_mutex_t libdw_lock =
    PTHREAD_MUTEX_INITIALIZER; /* libdw's objects are not thread-safe */

bool san_position_of_caller(const san_caller *c, san_host_position *out)
{
    *out = c->recorded ? *c->recorded : (san_host_position){0};
    if (c->recorded)
        return out->line;
    position_search s = {out, NULL, false, false};
    HOLD_LOCK(&libdw_lock);
    Dwfl *d = debug_information();
    const uint64_t kernel = (uint64_t)(uintptr_t)c->kernel;
    s.kernel = d && kernel ? symbol_at(dwfl_addrmodule(d, kernel), kernel) : NULL;
    for (uint32_t k = 0; d && k < c->depth && !s.own; k++)
        search_stack_frame(&s, d, c->frame[k] - 1);
    return out->line;
}

bool san_symbol_at(uint64_t address, char *out, size_t size)
{
    HOLD_LOCK(&libdw_lock);
    Dwfl *d = debug_information();
    const char *symbol = d ? symbol_at(dwfl_addrmodule(d, address), address) : NULL;
    if (symbol)
        snprintf(out, size, "%s", symbol);
    return symbol;
}
