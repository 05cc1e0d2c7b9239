#include "source_record.h"

#include <stdlib.h>

#include "version_record.h"

void source_put(struct record *record, const struct loaded *loaded, struct span text)
{
	record_put(record, loaded->source.rank);
	record_put_text(record, loaded->path);
	stamp_put(record, &loaded->stamp);
	record_put_time(record, loaded->read);
	record_put_bytes(record, text.data, text.len);
}

int source_take(struct record *record, const struct settings *settings, struct read_source *ret)
{
	uint64_t rank = record_get_below(record, settings->layer_count - 1);

	*ret = (struct read_source){
		.layer = settings->layers[rank], .path = record_get_text(record)};
	ret->stamp = stamp_take(record);
	ret->read = record_get_time(record);
	ret->text = record_get_bytes(record);
	return !ret->path || record_error(record) ? record_refuse(record) : 0;
}

void source_fini(struct read_source *source)
{
	free((char *)(uintptr_t)source->path);
}
