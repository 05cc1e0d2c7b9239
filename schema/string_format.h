/*
 * The formats of strings, which `format` names in a schema, as their standards define them. Any
 * string satisfies an unknown format, as the drafts demand.
 */
#pragma once

#include "keyword.h"

struct string_format {
	const char *name;
	/* Returns 1 if `text` has the format, 0 if not, or -ENOMEM. Must take time in proportion to
	 * the length of `text`. */
	int (*check)(struct span text, enum schema_draft draft);
};

/** Returns the format of that name, or NULL. */
const struct string_format *string_format_find(struct span name);

/* Declares or defines a check of struct string_format. Few formats depend on the draft. */
#define FORMAT(name)                                                                               \
	int format_is_##name(struct span text, enum schema_draft draft __attribute__((unused)))

/* The checks that are in files of their own. */
FORMAT(ipv4);
FORMAT(ipv6);
FORMAT(hostname);
FORMAT(idn_hostname);
FORMAT(email);
FORMAT(idn_email);
FORMAT(uri);
FORMAT(uri_reference);
FORMAT(iri);
FORMAT(iri_reference);
FORMAT(uri_template);

/* Whether this build can check international names. */
extern const bool idn_is_known;

/**
 * Returns the length in bytes of the A-label (xn--…) of `label`; 0 if `label` is no U-label of
 * IDNA2008, or idn_is_known is false; or -ENOMEM.
 */
int idn_label_length(struct span label);

/**
 * Returns 1 if `label`, which must begin with "xn--", is the A-label of a U-label; 0 if not; or
 * -ENOMEM. If idn_is_known is false, accepts any text behind "xn--".
 */
int idn_is_ascii_label(struct span label);
