#include "lock.h"

#include <assert.h>

#ifdef LOCK_IS_CHECKED
/* Bit n: the calling thread holds a lock of rank n. */
static _Thread_local unsigned held;

static void check_take(const struct lock *lock)
{
	assert(held >> lock->rank == 0);
	held |= 1u << lock->rank;
}

static void check_release(const struct lock *lock)
{
	assert(held >> lock->rank & 1);
	held &= ~(1u << lock->rank);
}
#else
static void check_take(const struct lock *lock)
{
	(void)lock;
}

static void check_release(const struct lock *lock)
{
	(void)lock;
}
#endif

void lock_init(struct lock *lock, enum lock_rank rank)
{
	pthread_mutex_init(&lock->mutex, NULL);
	lock->rank = rank;
}

void lock_fini(struct lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
}

void lock_take(struct lock *lock)
{
	check_take(lock);
	pthread_mutex_lock(&lock->mutex);
}

void lock_release(struct lock *lock)
{
	check_release(lock);
	pthread_mutex_unlock(&lock->mutex);
}

void lock_wait(struct lock *lock, pthread_cond_t *condition, const struct timespec *until)
{
	if (until)
		pthread_cond_clockwait(condition, &lock->mutex, CLOCK_MONOTONIC, until);
	else
		pthread_cond_wait(condition, &lock->mutex);
}
