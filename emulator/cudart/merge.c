#include "merge.h"

#include <stdio.h>
#include <string.h>

fatbin_status merge_text(const fatbin_wrapper *wrapper, uint32_t capability, char **text,
                         char *message, size_t message_size)
{
    const void *container = wrapper->data;
    if (wrapper->version == 2 && wrapper->linked) {
        const void *const *list = wrapper->linked;
        if (list[0] && list[1]) {
            snprintf(message, message_size,
                     "the program was linked from several files with -rdc=true, which is not "
                     "supported: put the device code into one file");
            return FATBIN_NO_PTX;
        }
        container = list[0] ? list[0] : container;
    }
    fatbin_text one;
    fatbin_status status = fatbin_choose(container, fatbin_readable(container), capability, &one);
    snprintf(message, message_size, "%s", one.message);
    *text = one.ptx;
    return status;
}
