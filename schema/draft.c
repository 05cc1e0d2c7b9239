#include "draft.h"

#include <stddef.h>

static const struct {
	const char *uri;
	const char *name;
	const char *text;
} schemas[] = {
	{
		"http://json-schema.org/draft-04/schema",
		"draft-04.json",
#include "draft-04.inc"
	},
	{
		"http://json-schema.org/draft-06/schema",
		"draft-06.json",
#include "draft-06.inc"
	},
	{
		"http://json-schema.org/draft-07/schema",
		"draft-07.json",
#include "draft-07.inc"
	},
	{
		"https://json-schema.org/draft/2019-09/schema",
		"draft-2019-09.json",
#include "draft-2019-09.inc"
	},
	{
		"https://json-schema.org/draft/2019-09/meta/content",
		"draft-2019-09-content.json",
#include "draft-2019-09-content.inc"
	},
	{
		"https://json-schema.org/draft/2019-09/meta/applicator",
		"draft-2019-09-applicator.json",
#include "draft-2019-09-applicator.inc"
	},
	{
		"https://json-schema.org/draft/2019-09/meta/meta-data",
		"draft-2019-09-meta-data.json",
#include "draft-2019-09-meta-data.inc"
	},
	{
		"https://json-schema.org/draft/2019-09/meta/core",
		"draft-2019-09-core.json",
#include "draft-2019-09-core.inc"
	},
	{
		"https://json-schema.org/draft/2019-09/meta/validation",
		"draft-2019-09-validation.json",
#include "draft-2019-09-validation.inc"
	},
	{
		"https://json-schema.org/draft/2019-09/meta/format",
		"draft-2019-09-format.json",
#include "draft-2019-09-format.inc"
	},
	{
		"https://json-schema.org/draft/2020-12/schema",
		"draft-2020-12.json",
#include "draft-2020-12.inc"
	},
	{
		"https://json-schema.org/draft/2020-12/meta/core",
		"draft-2020-12-core.json",
#include "draft-2020-12-core.inc"
	},
	{
		"https://json-schema.org/draft/2020-12/meta/applicator",
		"draft-2020-12-applicator.json",
#include "draft-2020-12-applicator.inc"
	},
	{
		"https://json-schema.org/draft/2020-12/meta/unevaluated",
		"draft-2020-12-unevaluated.json",
#include "draft-2020-12-unevaluated.inc"
	},
	{
		"https://json-schema.org/draft/2020-12/meta/validation",
		"draft-2020-12-validation.json",
#include "draft-2020-12-validation.inc"
	},
	{
		"https://json-schema.org/draft/2020-12/meta/meta-data",
		"draft-2020-12-meta-data.json",
#include "draft-2020-12-meta-data.inc"
	},
	{
		"https://json-schema.org/draft/2020-12/meta/format-annotation",
		"draft-2020-12-format-annotation.json",
#include "draft-2020-12-format-annotation.inc"
	},
	{
		"https://json-schema.org/draft/2020-12/meta/format-assertion",
		"draft-2020-12-format-assertion.json",
#include "draft-2020-12-format-assertion.inc"
	},
	{
		"https://json-schema.org/draft/2020-12/meta/content",
		"draft-2020-12-content.json",
#include "draft-2020-12-content.inc"
	},
};

const char *draft_schema(struct span uri, const char **name)
{
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++)
		if (span_is(uri, schemas[i].uri)) {
			*name = schemas[i].name;
			return schemas[i].text;
		}
	return NULL;
}
