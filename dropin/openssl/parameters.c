/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacements for OSSL_PARAM_set_*(3): the provider is not linked with libcrypto. */
#include "provider.h"

#include <string.h>

/* Store an integer of any size, in native byte order. */
static int set_integer(OSSL_PARAM *p, uint64_t value)
{
	const uint16_t one = 1;
	const int little = *(const unsigned char *)&one;
	const size_t len = p->data_size;
	unsigned char *data = p->data;

	if (len < sizeof(value) && value >> (8 * len) != 0)
		return 0;
	/* A signed integer must not become negative. */
	if (p->data_type == OSSL_PARAM_INTEGER && len > 0 && len <= sizeof(value) && value >> (8 * len - 1) != 0)
		return 0;
	for (size_t i = 0; i < len; i++)
		data[little ? i : len - 1 - i] = i < sizeof(value) ? (unsigned char)(value >> (8 * i)) : 0;
	p->return_size = len;
	return 1;
}

/* A double represents integers of up to 53 bits exactly. */
static int set_real(OSSL_PARAM *p, uint64_t value)
{
	const double real = (double)value;

	if (p->data_size != sizeof(real) || value >> 53 != 0)
		return 0;
	memcpy(p->data, &real, sizeof(real));
	return 1;
}

int cprng_parameter_set_number(OSSL_PARAM *p, uint64_t value)
{
	const int is_real = p->data_type == OSSL_PARAM_REAL;

	if (!is_real && p->data_type != OSSL_PARAM_INTEGER && p->data_type != OSSL_PARAM_UNSIGNED_INTEGER)
		return 0;
	p->return_size = is_real ? sizeof(double) : sizeof(value);
	if (p->data == NULL)
		return 1; /* the caller asks for the size */
	return is_real ? set_real(p, value) : set_integer(p, value);
}

int cprng_parameter_set_text(OSSL_PARAM *p, const char *text)
{
	const size_t len = strlen(text);

	p->return_size = len;
	if (p->data_type == OSSL_PARAM_UTF8_PTR) {
		if (p->data != NULL)
			*(const char **)p->data = text;
		return 1;
	}
	if (p->data_type != OSSL_PARAM_UTF8_STRING || (p->data != NULL && p->data_size < len))
		return 0;
	if (p->data != NULL)
		memcpy(p->data, text, len + (p->data_size > len));
	return 1;
}
