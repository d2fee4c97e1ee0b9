#include "adopt.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const uint8_t adopt_entry[]; /* jump.S: an entry of ENTRY_BYTES for each number */

enum { ENTRY_BYTES = 16, JUMP_BYTES = 16 };

/* A jump to the address that follows it. */
#if defined __x86_64__
static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *0(%rip) */
#else
static const uint8_t jump[] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6}; /* ldr x16, .+8; br x16 */
#endif

/* Does the loaded code begin like the file's, and is there room for a jump? */
static bool is_as_in_file(const adopt_function *f, uintptr_t base)
{
    return f->cap >= JUMP_BYTES &&
           memcmp((const void *)(base + f->address), f->code, JUMP_BYTES) == 0;
}

static bool protect(uintptr_t from, uintptr_t end, int how)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    from -= from % page;
    return mprotect((void *)from, end - from, how) == 0;
}

static void write_jump(uint8_t *at, const uint8_t *to)
{
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &to, sizeof to);
    __builtin___clear_cache((char *)at, (char *)at + JUMP_BYTES);
}

const char *adopt_write_jumps(const adopt_image *image, uintptr_t base, unsigned first)
{
    uintptr_t from = UINTPTR_MAX, end = 0;
    for (size_t i = 0; i < image->function_count; i++) {
        const adopt_function *f = &image->function[i];
        const uintptr_t at = base + f->address;
        if (f->cap < JUMP_BYTES)
            continue;
        if (!is_as_in_file(f, base))
            return "its file has changed since it was loaded";
        from = at < from ? at : from;
        end = at + JUMP_BYTES > end ? at + JUMP_BYTES : end;
    }
    if (!end)
        return "it has no function that can be replaced";
    if (!protect(from, end, PROT_READ | PROT_WRITE))
        return "this system does not let a program's code be changed";
    for (size_t i = 0; i < image->function_count; i++) {
        const adopt_function *f = &image->function[i];
        if (f->cap >= JUMP_BYTES)
            write_jump((uint8_t *)(base + f->address),
                       adopt_entry + (size_t)(first + f->number) * ENTRY_BYTES);
    }
    return protect(from, end, PROT_READ | PROT_EXEC)
               ? NULL
               : "this system does not let a program's code be changed";
}

bool adopt_hand_out_ptx(const adopt_image *image, uintptr_t base)
{
    static const unsigned instead[] = {
        [NVRTC_CUBIN] = NVRTC_PTX, [NVRTC_CUBIN_SIZE] = NVRTC_PTX_SIZE};
    for (unsigned k = 0; k < sizeof instead / sizeof *instead; k++) {
        const adopt_function *f = &image->nvrtc[k], *to = &image->nvrtc[instead[k]];
        const uintptr_t at = base + f->address;
        if (!f->code || !to->code || !is_as_in_file(f, base) ||
            !protect(at, at + JUMP_BYTES, PROT_READ | PROT_WRITE))
            return false;
        write_jump((uint8_t *)at, (const uint8_t *)(base + to->address));
        if (!protect(at, at + JUMP_BYTES, PROT_READ | PROT_EXEC))
            return false;
    }
    return true;
}
