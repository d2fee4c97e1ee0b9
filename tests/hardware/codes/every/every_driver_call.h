/* The list of all calls of the driver API for every_call.h. */
#pragma once

#define EVERY_DRIVER_CALL
#include "every_call.h"

template <class F> static void call_if_present(const char *name, F *)
{
    void *call = driver_call(name);
    if (call) {
        every(name, (F *)call);
    } else {
        printf(" absent");
        fflush(stdout);
    }
}

#define CALL(name, params) {#name, [] { call_if_present(#name, (CUresult(*) params)NULL); }},
static const api_call calls[] = {
#include "every_driver_call.def"
};
