/* The device profiles that are built into the library: the text of the files profiles/ID.profile.
 * The assembler directive .incbin looks up these files relative to the directory of the Makefile.
 */
#include "builtin.h"

#include <string.h>

/* Embed the file of profile ID in the program as the NUL-terminated string profile_text_ID. */
#define PROFILE(id, measured, error)                                 \
    __asm__(".section .rodata\n"                                     \
            ".local profile_text_" #id "\n"                          \
            "profile_text_" #id ":\n"                                \
            ".incbin \"emulator/timing/profiles/" #id ".profile\"\n" \
            ".byte 0\n"                                              \
            ".previous\n");                                          \
    extern const char profile_text_##id[] __attribute__((visibility("hidden")));
#include "../base/profiles.def"
#undef PROFILE

const char *const *profile_ids(void)
{
    static const char *const ids[] = {
#define PROFILE(id, measured, error) #id,
#include "../base/profiles.def"
#undef PROFILE
        NULL};
    return ids;
}

const char *profile_builtin_text(const char *id)
{
#define PROFILE(name, measured, error) \
    if (strcmp(id, #name) == 0)        \
        return profile_text_##name;
#include "../base/profiles.def"
#undef PROFILE
    return NULL;
}
