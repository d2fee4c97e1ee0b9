#include "seen.h"

#include "../base/lock.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER; /* guards all lists of launches */

static uint64_t hash_of_bytes(const void *bytes, uint64_t size)
{
    const uint8_t *p = bytes;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint64_t k = 0; k < size; k++)
        h = (h ^ p[k]) * UINT64_C(0x100000001b3);
    return h;
}

bool acc_is_first_launch(acc_seen_launches *s, const sm_launch *l)
{
    struct acc_launch_key now = {.kernel = l->kernel,
                                 .params = hash_of_bytes(l->params, l->kernel->param_bytes)};
    memcpy(now.grid, l->grid, sizeof now.grid);
    memcpy(now.block, l->block, sizeof now.block);
    HOLD_LOCK(&seen_lock);
    bool known = s->count == ACC_MAX_SEEN_LAUNCHES;
    for (uint32_t k = 0; k < s->count && !known; k++) {
        const struct acc_launch_key *have = &s->list[k];
        known = have->kernel == now.kernel && have->params == now.params &&
                memcmp(have->grid, now.grid, sizeof now.grid) == 0 &&
                memcmp(have->block, now.block, sizeof now.block) == 0;
    }
    if (!known)
        s->list[s->count++] = now;
    return !known;
}
