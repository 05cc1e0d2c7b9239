/*
 * Labels of international host names, by libidn2.
 */
#include <errno.h>
#include <idn2.h>
#include <stdlib.h>
#include <string.h>

#include "string_format.h"

/* Bytes of the longest U-label: 59 characters of at most 4, as its A-label has at most 63. */
#define LABEL_MAX 252

const bool idn_is_known = true;

int idn_label_length(struct span label)
{
	uint8_t text[LABEL_MAX + 1], *ascii = NULL;

	if (label.len == 0 || label.len > LABEL_MAX || memchr(label.data, '\0', label.len))
		return 0;
	memcpy(text, label.data, label.len);
	text[label.len] = '\0';
	/* These rules are the RFC's complete ones, for names that can be registered. */
	int r = idn2_register_u8(text, NULL, &ascii, 0);
	int len = r == IDN2_OK ? (int)strlen((char *)ascii) : r == IDN2_MALLOC ? -ENOMEM : 0;
	idn2_free(ascii);
	return len;
}

int idn_is_ascii_label(struct span label)
{
	char text[64], *plain = NULL;
	uint8_t *ascii = NULL;

	if (label.len >= sizeof(text))
		return 0;
	memcpy(text, label.data, label.len);
	text[label.len] = '\0';
	int r = idn2_to_unicode_8z8z(text, &plain, 0);
	if (r == IDN2_OK)
		r = idn2_register_u8((uint8_t *)plain, NULL, &ascii, 0);
	bool is_same = r == IDN2_OK && strcasecmp((char *)ascii, text) == 0;
	idn2_free(ascii);
	idn2_free(plain);
	return r == IDN2_MALLOC ? -ENOMEM : is_same;
}
