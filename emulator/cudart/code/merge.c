/* Chooses the PTX of each file that nvcc -rdc=true linked, and links the PTX texts again. */
#include "merge.h"
#include "../../ptx/link/link.h"
#include "../../ptx/link/statements.h"
#include "../../sm/syscalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_NAME_CHARS 24 /* size of a text such as "file 3" that names a linked file */

/* The PTX for the newest targets that the device has, else for the oldest ones beyond it: a program
 * that nvcc -arch=all-major builds has PTX for the newest target alone. */
static fatbin_status choose_ptx_text(const void *container, uint32_t capability, char **text,
                                     char *message, size_t message_size)
{
    fatbin_text one;
    fatbin_status status =
        fatbin_choose_ptx(container, fatbin_readable_bytes(container), capability, &one);
    if (status == FATBIN_TOO_NEW)
        status = fatbin_choose_ptx(container, fatbin_readable_bytes(container), one.target, &one);
    if (status != FATBIN_OK)
        snprintf(message, message_size, "%s", one.message);
    *text = one.ptx;
    return status;
}

/* Is TEXT the toolkit's device runtime? It defines the launch function that others only declare. */
static bool is_device_runtime(const char *text)
{
    static const char name[] = "__cudaCDP2LaunchDeviceV2";
    ptx_statement s;
    for (const char *p = strstr(text, name) ? text : ""; ptx_next_statement(&p, &s);)
        if (s.body && ptx_slice_equals(s.name, name))
            return true;
    return false;
}

/* Like choose_ptx_text(), but *TEXT becomes NULL for the toolkit's device runtime. */
static fatbin_status choose_linkable_text(const void *container, uint32_t capability, char **text,
                                          char *message, size_t message_size)
{
    fatbin_status status = choose_ptx_text(container, capability, text, message, message_size);
    if (*text && is_device_runtime(*text)) {
        free(*text);
        *text = NULL;
    }
    return status;
}

bool merge_is_function_provided(const char *name)
{
    return sm_is_device_function(name) || !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6);
}

/* Link the PTX texts. UNCHECKED: the program has no machine code, so nvlink has not checked that
 * all symbols are defined. */
static fatbin_status link_ptx_texts(char *const *texts, size_t count, bool unchecked, char **text,
                                    char *message, size_t message_size)
{
    ptx_link_text *part = calloc(count, sizeof *part);
    char(*name)[MAX_FILE_NAME_CHARS] = calloc(count, sizeof *name);
    *text = NULL;
    char log[300] = "";
    if (part && name) {
        for (size_t i = 0; i < count; i++) {
            snprintf(name[i], MAX_FILE_NAME_CHARS, "file %zu", i + 1);
            part[i] = (ptx_link_text){texts[i], name[i]};
        }
        *text = ptx_link_texts(part, count, unchecked ? merge_is_function_provided : NULL, log,
                               sizeof log);
    }
    free(part);
    free(name);
    if (*text || !log[0])
        return *text ? FATBIN_OK : FATBIN_MEMORY;
    log[strcspn(log, "\n")] = '\0';
    snprintf(message, message_size, "the program's device code cannot be linked: %s", log);
    return FATBIN_UNLINKED;
}

fatbin_status merge_text(const fatbin_wrapper *wrapper, uint32_t capability, char **text,
                         char *message, size_t message_size)
{
    const void *const *linked = wrapper->version == 2 ? wrapper->linked : NULL;
    size_t count = 0;
    while (linked && linked[count])
        count++;
    if (!count)
        return choose_ptx_text(wrapper->data, capability, text, message, message_size);
    char **texts = calloc(count, sizeof *texts);
    fatbin_status status = texts ? FATBIN_OK : FATBIN_MEMORY;
    size_t chosen = 0;
    for (size_t i = 0; i < count && status == FATBIN_OK; i++) {
        status = choose_linkable_text(linked[i], capability, &texts[chosen], message, message_size);
        chosen += texts[chosen] != NULL;
    }
    if (status == FATBIN_OK && !chosen) { /* all texts were the toolkit's device runtime */
        status = choose_ptx_text(wrapper->data, capability, text, message, message_size);
    } else if (status == FATBIN_OK) {
        size_t size;
        void *machine = fatbin_find_machine_code(
            wrapper->data, fatbin_readable_bytes(wrapper->data), capability, &size);
        status = link_ptx_texts(texts, chosen, !machine, text, message, message_size);
        free(machine);
    }
    for (size_t i = 0; texts && i < chosen; i++)
        free(texts[i]);
    free(texts);
    return status;
}
