/* Events and host functions of streams, as graphs use them too. */
#pragma once

#include "op.h"

cudaError_t rt_queue_host_function(rt_stream *s, cudaHostFn_t fn, void *data);
bool rt_is_event(cudaEvent_t handle); /* is HANDLE a valid event? */

bool rt_event_has_no_timing(cudaEvent_t handle); /* created with cudaEventDisableTiming? */
cudaError_t rt_event_record(cudaEvent_t handle, rt_stream *s); /* queues a record to S */
cudaError_t rt_event_wait(cudaEvent_t handle, rt_stream *s);   /* queues a wait to S */
