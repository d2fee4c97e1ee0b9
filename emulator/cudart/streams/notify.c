/* Notifications that a memory budget is exceeded (Runtime API,
 * cudaDeviceRegisterAsyncNotification). The modelled device has none, so none is ever sent. */

#include "../core/state.h"

#include <stdlib.h>

/* A registered callback. Only its existence matters: cudaAsyncCallbackHandle_t points to it. */
typedef struct rt_notification {
    struct rt_notification *next; /* next in the list of registered callbacks */
} notification;

cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callback, void *data,
                                                cudaAsyncCallbackHandle_t *out)
{
    (void)data;
    cudaError_t e = rt_lock();
    e = RT_ERROR_IF(e, device != 0, cudaErrorInvalidDevice);
    e = RT_INVALID_IF(e, !callback || !out);
    notification *n = e ? NULL : malloc(sizeof *n);
    e = RT_ERROR_IF(e, !n, cudaErrorMemoryAllocation);
    if (!e) {
        n->next = rt.events.notifications;
        rt.events.notifications = n;
        *out = (cudaAsyncCallbackHandle_t)n;
    }
    return rt_unlock(e);
}

cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t handle)
{
    cudaError_t e = rt_lock();
    notification **p = &rt.events.notifications;
    while (*p && *p != (notification *)handle)
        p = &(*p)->next;
    e = RT_ERROR_IF(e, device > 0, cudaErrorInvalidDevice);
    e = RT_INVALID_IF(e, device || !*p);
    if (!e) {
        notification *n = *p;
        *p = n->next;
        free(n);
    }
    return rt_unlock(e);
}
