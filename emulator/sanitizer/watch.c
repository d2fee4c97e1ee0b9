#include "watch.h"

#include "global/global.h"
#include "init/constants.h"
#include "init/init.h"
#include "kinds.h"
#include "memory/guard_zones.h"
#include "memory/heap.h"
#include "reports.h"
#include "shared/race.h"
#include "sync.h"

void san_list_observers(unsigned kinds, const sm_observer *list[SM_OBSERVERS + 1])
{
    uint32_t n = 0;
    san_set_notes_wanted(kinds & SAN_NOTES);
    if (kinds & SAN_MEMORY && mem_has_guard_zones())
        list[n++] = &san_guard_zone_observer;
    if (kinds & SAN_MEMORY)
        list[n++] = &san_heap_observer;
    if (kinds & SAN_SYNC)
        list[n++] = &san_sync_observer;
    if (kinds & SAN_INIT) {
        list[n++] = &san_init_observer;
        list[n++] = &san_constant_observer;
    }
    if (kinds & SAN_RACE) {
        list[n++] = san_race_observers[0];
        list[n++] = &san_global_race_observer;
    }
    list[n] = NULL;
}
