/* Says what host code has at an address that a kernel or a call got by mistake: a local variable,
 * memory of malloc, the host's copy of a device variable, a table of virtual functions. */
#include "../../memory/memory.h"
#include "../core/name.h"
#include "../core/state.h"
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_OBJECT = 1 << 20 }; /* of host code, whose members a lambda may use; bytes */

/* The variable of device code whose copy on the host contains ADDRESS; NULL: none. */
static const rt_symbol *find_shadow_variable(uint64_t address)
{
    for (uint32_t k = 0; k < RT_MODULE_HASH_BUCKETS; k++) {
        for (const rt_symbol *s = rt.modules.symbols[k]; s; s = s->next) {
            const uint64_t host = (uint64_t)(uintptr_t)s->host;
            if (address >= host && address - host < (s->size ? s->size : 1) && !s->managed)
                return s;
        }
    }
    return NULL;
}

/* Store the line of /proc/self/maps for ADDRESS in LINE. */
static bool find_mapping(uint64_t address, char *line, int size)
{
    FILE *f = fopen("/proc/self/maps", "re");
    bool found = false;
    while (f && !found && fgets(line, size, f)) {
        uint64_t from, end;
        found = sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &end) == 2 && address >= from &&
                address < end;
    }
    if (f)
        fclose(f);
    return found;
}

/* The demangled symbol of the program that contains ADDRESS, malloc'd; NULL: there is none. */
static char *find_symbol_at(uint64_t address)
{
    char symbol[3000];
    return san_symbol_at(address, symbol, sizeof symbol) ? name_of_variable(symbol) : NULL;
}

static void describe_static_data(uint64_t address, char *out, size_t size)
{
    char *symbol = find_symbol_at(address);
    if (!symbol) {
        snprintf(out, size, "global or static data of host code");
    } else if (strncmp(symbol, "vtable for ", 11) == 0) {
        snprintf(out, size,
                 "the table of virtual functions of %s on the host: an object whose virtual "
                 "functions a kernel calls must be constructed in a kernel",
                 symbol + 11);
    } else {
        snprintf(out, size, "the global variable %s of host code", symbol);
    }
    free(symbol);
}

const char *rt_describe_host_address(uint64_t address, char *out, size_t size)
{
    char line[600];
    const rt_symbol *s = find_shadow_variable(address);
    if (s) {
        char *name = name_of_variable(s->name);
        snprintf(out, size,
                 "the host's copy of the %s variable %s, which no kernel sees: name %s in the "
                 "kernel itself, or pass what cudaGetSymbolAddress() returns",
                 s->constant ? "__constant__" : "__device__", name ? name : s->name,
                 name ? name : s->name);
        free(name);
        return out;
    }
    if (!find_mapping(address, line, sizeof line))
        return NULL;
    if (strstr(line, "[stack]")) {
        snprintf(out, size,
                 "on the stack of host code: a local variable, which a pointer, a reference or a "
                 "lambda's this leads to");
    } else if (strstr(line, "[heap]") || !strchr(line, '/')) {
        snprintf(out, size, "on the heap of host code: memory of malloc, new or a container");
    } else {
        describe_static_data(address, out, size);
    }
    return out;
}

const char *rt_name_host_address(uint64_t address, char *out, size_t size)
{
    *out = '\0';
    char *which = rt_describe_host_address(address, out, size) ? strstr(out, ", which ") : NULL;
    if (which)
        *which = '\0';
    return *out ? out : NULL;
}

/* The only host address among the BYTES bytes of arguments at PARAMS; 0: there is none, or several.
 * An int and the padding after it may look like an address, but hardly like that of an object. */
static uint64_t find_only_host_pointer(const uint8_t *params, size_t bytes)
{
    uint64_t found = 0, word;
    char line[600];
    for (size_t at = 0; at + sizeof word <= bytes; at += sizeof word) {
        memcpy(&word, params + at, sizeof word);
        if (word == found || word % sizeof word || mem_in_window(word) ||
            !find_mapping(word, line, sizeof line))
            continue;
        if (found)
            return 0;
        found = word;
    }
    return found;
}

/* Does NAME, of a kernel's host function, say that a lambda has captured the this of a class? nvcc
 * writes "__nv_dl_tag<void (CLASS::*)(), ...>, CLASS* const". Writes the class to OUT. */
static bool find_captured_class(const char *name, char *out, size_t size)
{
    static const char *const kinds[] = {"* const", " const* const"};
    const char *tag = strstr(name, "__nv_dl_tag<"), *open = tag ? strchr(tag, '(') : NULL;
    const char *end = open ? strstr(open, "::*)(") : NULL;
    char captured[1200];
    bool found = false;
    if (!end)
        return false;
    snprintf(out, size, "%.*s", (int)(end - open - 1), open + 1);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !found; k++)
        found =
            snprintf(captured, sizeof captured, ", %s%s", out, kinds[k]) < (int)sizeof captured &&
            strstr(end, captured);
    return found;
}

bool rt_find_class_of_captured_this(uint64_t address, const void *stub, const uint8_t *params,
                                    size_t bytes, char *out, size_t size)
{
    const uint64_t object = stub ? find_only_host_pointer(params, bytes) : 0;
    char *name = object && address - object <= LARGEST_OBJECT
                     ? find_symbol_at((uint64_t)(uintptr_t)stub)
                     : NULL;
    const bool found = name && find_captured_class(name, out, size);
    free(name);
    return found;
}
