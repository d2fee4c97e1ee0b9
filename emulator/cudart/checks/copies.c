/* Reports a copy whose direction does not fit its addresses. */
#include "checks.h"

#include <stdio.h>
#include <string.h>

void rt_report_wrong_direction(const char *what, uint64_t to, bool to_host, uint64_t from,
                               bool from_host)
{
    char text[700], host[400] = "";
    rt_describe_host_address(to_host ? to : from, host, sizeof host);
    snprintf(text, sizeof text,
             "the direction is wrong: the destination is %s memory, the source is %s memory; the "
             "%s is %s",
             to_host ? "host" : "device", from_host ? "host" : "device",
             to_host ? "destination" : "source", host);
    rt_report_bad_argument(
        what, text,
        strstr(host, "host's copy") ? "use cudaMemcpyToSymbol() or cudaMemcpyFromSymbol() for a "
                                      "variable of device code"
        : !to_host                  ? "use cudaMemcpyHostToDevice, if the host is to be the source"
        : !from_host
            ? "use cudaMemcpyDeviceToHost, if the host is to be the destination; else pass the "
              "device pointer itself (p, not &p)"
            : "pass the device pointer itself (p, not &p) where device memory is meant");
}
