/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces bcryptprimitives.dll, which wine before 9 lacks.  Gives RtlGenRandom's bytes, or none with -DREFUSES. */
#include <windows.h>

/* RtlGenRandom */
BOOLEAN NTAPI SystemFunction036(void *buf, ULONG len);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *buf, SIZE_T len)
{
#ifdef REFUSES
	(void)buf;
	(void)len;
	return FALSE;
#else
	return SystemFunction036(buf, (ULONG)len) ? TRUE : FALSE;
#endif
}
