#include "etcd_batch.h"

#include "array.h"

static void change_fini(struct etcd_change *change)
{
	free(change->path);
	free((char *)change->value.data);
}

int etcd_batch_add(struct etcd_batch *batch, const char *path, const struct etcd_key *key)
{
	struct etcd_change change = {.revision = key->revision, .is_deleted = key->is_deleted};
	char *value;

	if (path) {
		if (array_grow(batch->changes, batch->count, batch->capacity) < 0)
			return -ENOMEM;
		change.path = strdup(path);
		value = span_dup(key->value);
		change.value = (struct span){value, key->value.len};
		if (!change.path || !value) {
			change_fini(&change);
			return -ENOMEM;
		}
		batch->changes[batch->count++] = change;
		batch->bytes += key->value.len + strlen(path) + sizeof(change);
		batch->has_deletes |= key->is_deleted;
	}
	if (key->revision > batch->revision)
		batch->revision = key->revision;
	return 0;
}

bool etcd_batch_is_single(const struct etcd_batch *batch)
{
	if (batch->count > ETCD_BATCH_SINGLE_MAX)
		return false;
	for (size_t i = 1; i < batch->count; i++)
		if (batch->changes[i].revision == batch->changes[i - 1].revision)
			return false;
	return true;
}

void etcd_batch_clear(struct etcd_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		change_fini(&batch->changes[i]);
	batch->count = batch->bytes = 0;
	batch->revision = 0;
	batch->has_deletes = batch->is_open = false;
}

void etcd_batch_fini(struct etcd_batch *batch)
{
	etcd_batch_clear(batch);
	free(batch->changes);
}
