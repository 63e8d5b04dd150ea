/* SPDX-License-Identifier: BSD-2-Clause */
/* As OSSL_PARAM_set_*(3) of libcrypto, with which the provider is not linked. */
#include "provider.h"

#include <limits.h>
#include <string.h>

int cprng_parameter_set_number(OSSL_PARAM *p, uint64_t value)
{
	const int is_signed = p->data_type == OSSL_PARAM_INTEGER;

	if (!is_signed && p->data_type != OSSL_PARAM_UNSIGNED_INTEGER)
		return 0;
	p->return_size = sizeof(value);
	if (p->data == NULL)
		return 1; /* it asks for the size */
	if (p->data_size == sizeof(uint64_t) && value <= (is_signed ? INT64_MAX : UINT64_MAX)) {
		memcpy(p->data, &value, sizeof(value));
	} else if (p->data_size == sizeof(uint32_t) && value <= (is_signed ? INT32_MAX : UINT32_MAX)) {
		const uint32_t narrow = (uint32_t)value;

		memcpy(p->data, &narrow, sizeof(narrow));
		p->return_size = sizeof(narrow);
	} else {
		return 0;
	}
	return 1;
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
