/* Capabilities of atomics, and notifications: what the runtime returns. */
#include "say.h"

static void on_budget(cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {}
static const cudaAtomicOperation operations[] = {cudaAtomicOperationIntegerAdd,
                                                 cudaAtomicOperationIntegerMin,
                                                 cudaAtomicOperationIntegerMax,
                                                 cudaAtomicOperationIntegerIncrement,
                                                 cudaAtomicOperationIntegerDecrement,
                                                 cudaAtomicOperationAnd,
                                                 cudaAtomicOperationOr,
                                                 cudaAtomicOperationXOR,
                                                 cudaAtomicOperationExchange,
                                                 cudaAtomicOperationCAS,
                                                 cudaAtomicOperationFloatAdd,
                                                 cudaAtomicOperationFloatMin,
                                                 cudaAtomicOperationFloatMax};

static void atomics()
{
    unsigned can[13];
    memset(can, 0xff, sizeof can);
    SAY("host atomics", cudaDeviceGetHostAtomicCapabilities(can, operations, 13, 0));
    for (int k = 0; k < 13; k++) {
        char name[50];
        snprintf(name, sizeof name, "host atomic %d", k);
        SHOW(name, "0x%x", can[k]);
    }
    SAY("host atomics null", cudaDeviceGetHostAtomicCapabilities(NULL, operations, 13, 0));
    SAY("host atomics no list", cudaDeviceGetHostAtomicCapabilities(can, NULL, 13, 0));
    SAY("host atomics none", cudaDeviceGetHostAtomicCapabilities(can, operations, 0, 0));
    SAY("host atomics no device", cudaDeviceGetHostAtomicCapabilities(can, operations, 13, 99));
    const cudaAtomicOperation wrong = (cudaAtomicOperation)50;
    SAY("host atomics no such", cudaDeviceGetHostAtomicCapabilities(can, &wrong, 1, 0));
    SAY("peer atomics with itself", cudaDeviceGetP2PAtomicCapabilities(can, operations, 13, 0, 0));
    SAY("peer atomics no device", cudaDeviceGetP2PAtomicCapabilities(can, operations, 13, 0, 99));
    SAY("peer atomics null", cudaDeviceGetP2PAtomicCapabilities(NULL, operations, 13, 0, 0));
}

static void notifications()
{
    cudaAsyncCallbackHandle_t handle = NULL;
    SAY("register", cudaDeviceRegisterAsyncNotification(0, on_budget, NULL, &handle));
    SHOW("registered", "%d", handle != NULL);
    SAY("unregister", cudaDeviceUnregisterAsyncNotification(0, handle));
    SAY("register no function", cudaDeviceRegisterAsyncNotification(0, NULL, NULL, &handle));
    SAY("register no handle", cudaDeviceRegisterAsyncNotification(0, on_budget, NULL, NULL));
    SAY("register no device", cudaDeviceRegisterAsyncNotification(99, on_budget, NULL, &handle));
    SAY("unregister null", cudaDeviceUnregisterAsyncNotification(0, NULL));
}

int main(int argc, char **argv)
{
    static const section all[] = {{"atomics", atomics}, {"notifications", notifications}};
    return run_sections(all, sizeof all / sizeof all[0], argc, argv);
}
