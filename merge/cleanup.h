/* CLEANUP(f) before a variable: calls f(&variable) when the variable goes out of scope. */
#pragma once

#include <stddef.h>
#include <stdlib.h>

#define CLEANUP(f) __attribute__((cleanup(f)))

static inline void *take_ptr_at(void *place)
{
	void **ptr = place;
	void *value = *ptr;

	*ptr = NULL;
	return value;
}

/* Returns the pointer in `variable`, and sets the variable to NULL. */
#define take_ptr(variable) ((__typeof__(variable))take_ptr_at(&(variable)))

/* For CLEANUP(freep): frees plain memory. */
static inline void freep(void *place)
{
	free(*(void **)place);
}
