/* The device profiles that are built into the library: the text of the files profiles/ID.profile.
 * The assembler directive .incbin looks up these files relative to the directory of the Makefile.
 */
#include "builtin.h"

#include <string.h>

/* Ids of the profiles, which are also their file names. The first one is the default. */
#define BUILTIN_PROFILES(X) X(h200) X(a100) X(t4) X(rtx4090) X(k40) X(gtx1050ti)

/* Embed the file of profile ID in the program as the NUL-terminated string profile_text_ID. */
#define EMBED_PROFILE_TEXT(id)                                       \
    __asm__(".section .rodata\n"                                     \
            ".local profile_text_" #id "\n"                          \
            "profile_text_" #id ":\n"                                \
            ".incbin \"emulator/timing/profiles/" #id ".profile\"\n" \
            ".byte 0\n"                                              \
            ".previous\n");                                          \
    extern const char profile_text_##id[] __attribute__((visibility("hidden")));
BUILTIN_PROFILES(EMBED_PROFILE_TEXT)

#define ID(id) #id,
static const char *const profile_id_list[] = {BUILTIN_PROFILES(ID) NULL}; /* NULL ends the list */

const char *const *profile_ids(void)
{
    return profile_id_list;
}

const char *profile_builtin_text(const char *id)
{
#define TEXT_IF_ID(name)        \
    if (strcmp(id, #name) == 0) \
        return profile_text_##name;
    BUILTIN_PROFILES(TEXT_IF_ID)
    return NULL;
}
