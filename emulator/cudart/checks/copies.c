/* Reports a fill whose value is no byte (cudaMemset writes the low byte of its value to each byte),
 * and a copy whose direction does not fit its addresses. */
#include "../core/state.h"
#include "checks.h"

#include <stdio.h>
#include <string.h>

void rt_check_fill_value(const char *what, int value, size_t bytes)
{
    if (!(rt.sanitize & SAN_HOST) || (value >= -128 && value <= 255) || !bytes)
        return;
    const unsigned byte = (unsigned)value & 0xff;
    san_finding f = {.kind = "host",
                     .fix = "to set elements of several bytes, let a kernel write them, copy them "
                            "from the host, or use cuMemsetD32",
                     .chapter = CHAPTER_FINDING_MISTAKES};
    rt_name_call(&f.at);
    snprintf(
        f.sentence, sizeof f.sentence,
        "%s sets each byte, and its value %d is no byte: each byte becomes 0x%02x, and each int "
        "0x%02x%02x%02x%02x, which is %d",
        what, value, byte, byte, byte, byte, byte, (int)(byte * 0x01010101u));
    rt_report_finding(&f);
}

/* Does a local variable of host code at ADDRESS hold a pointer to device memory? */
static bool is_local_device_pointer(uint64_t address)
{
    char what[400];
    const char *is = rt_name_host_address(address, what, sizeof what);
    mem_range r;
    uint64_t value;
    if (!is || !strstr(is, "on the stack"))
        return false;
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return mem_in_window(value) && mem_find_range(value, &r);
}

void rt_report_wrong_direction(const char *what, uint64_t to, const char *to_kind, uint64_t from,
                               const char *from_kind)
{
    const bool to_host = strcmp(to_kind, "host") == 0, from_host = strcmp(from_kind, "host") == 0;
    const bool both = strstr(to_kind, "host") && strstr(from_kind, "host");
    const bool to_pointer = to_host && is_local_device_pointer(to),
               from_pointer = from_host && is_local_device_pointer(from),
               names_source = from_pointer || !to_host;
    char text[700], host[400] = "";
    rt_name_host_address(names_source ? from : to, host, sizeof host);
    snprintf(text, sizeof text,
             "the direction is wrong: the destination is %s memory, the source is %s memory; the "
             "%s is %s",
             to_kind, from_kind, names_source ? "source" : "destination", host);
    rt_report_bad_argument(
        what, text,
        strstr(host, "host's copy") ? "use cudaMemcpyToSymbol() or cudaMemcpyFromSymbol() for a "
                                      "variable of device code"
        : to_pointer || from_pointer
            ? "pass the device pointer itself (p, not &p): the local variable holds one"
        : both && to_host != from_host
            ? "use cudaMemcpyHostToHost or cudaMemcpyDefault, if both are to be the host's; else "
              "pass the device pointer itself (p, not &p)"
        : !to_host ? "use cudaMemcpyHostToDevice, if the host is to be the source"
        : !from_host
            ? "use cudaMemcpyDeviceToHost, if the host is to be the destination; else pass the "
              "device pointer itself (p, not &p)"
            : "pass the device pointer itself (p, not &p) where device memory is meant");
}
