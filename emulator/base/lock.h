/* Locks that are held until a block ends. */
#pragma once

#include <pthread.h>

static inline pthread_mutex_t *lock_mutex(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    return lock;
}

static inline void unlock_mutex(pthread_mutex_t **held)
{
    pthread_mutex_unlock(*held);
}

/* Hold LOCK until the block ends, by whichever way. */
#define HOLD_LOCK(lock) \
    __attribute__((cleanup(unlock_mutex), unused)) pthread_mutex_t *held = lock_mutex(lock)
