#include "lock.h"

#include <assert.h>

void lock_init(struct lock *lock, enum lock_rank rank)
{
	lock->rank = rank;
	lock->is_held = false;
}

void lock_fini(struct lock *lock)
{
	(void)lock;
}

void lock_take(struct lock *lock)
{
	assert(!lock->is_held);
	lock->is_held = true;
}

void lock_release(struct lock *lock)
{
	assert(lock->is_held);
	lock->is_held = false;
}
