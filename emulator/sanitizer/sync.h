/* Synccheck: barriers that some threads of the block do not reach, or reach at different
 * instructions; member masks that name lanes which never arrive; shuffles from lanes that are not
 * there, unless a selection may drop the value. A GPU may not detect these
 * errors. */
#pragma once

#include "../core/observer.h"

/* The observer of kind `sync`. */
extern const sm_observer san_sync_observer; /* finds misused barriers and member masks */
