/* Synccheck: barriers that not all threads of the block reach, or that they reach at different
 * places; member masks that name lanes which never come. A GPU may let these pass. */
#ifndef WARPBOOK_SANITIZER_SYNC_H
#define WARPBOOK_SANITIZER_SYNC_H

#include "../core/observer.h"

/* The observer of kind `sync`. It is strict: a shuffle from a lane that is not there stops the
 * launch. */
extern const sm_observer san_synccheck;

#endif
