/* SPDX-License-Identifier: BSD-2-Clause */
#include "os/linux/vdso.h"

#include "os/linux/sys.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

/* The name in the vDSO's symbol table, by architecture: arch/<arch>/kernel/vdso*<slash>vdso.lds.S. */
#if defined(__aarch64__) || defined(__s390x__) || defined(__powerpc__)
#define NAME "__kernel_getrandom"
#else
#define NAME "__vdso_getrandom"
#endif

/* The number of dynamic symbols, which only the hash tables know. */
static size_t symbol_count(const uint32_t *gnu_hash, const ElfW(Word) *hash)
{
	uint32_t nbuckets, bias, bloom, last = 0;
	const uint32_t *buckets, *chain;

	if (hash != NULL)
		return hash[1];
	if (gnu_hash == NULL)
		return 0;
	nbuckets = gnu_hash[0];
	bias = gnu_hash[1];
	bloom = gnu_hash[2];
	buckets = gnu_hash + 4 + bloom * (sizeof(ElfW(Addr)) / 4);
	chain = buckets + nbuckets;
	for (uint32_t i = 0; i < nbuckets; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < bias)
		return 0;
	/* The low bit marks the end of a bucket's chain. */
	while (!(chain[last - bias] & 1))
		last++;
	return last + 1;
}

cprng_vgetrandom cprng_vdso_getrandom(void)
{
	const uintptr_t base = cprng_sys_auxv(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *elf = (const void *)base;
	const ElfW(Phdr) *segment;
	const ElfW(Dyn) *dynamic = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	const uint32_t *gnu_hash = NULL;
	const ElfW(Word) *hash = NULL;
	uintptr_t slide = 0;
	bool loaded = false;

#if defined(__powerpc64__) && (!defined(_CALL_ELF) || _CALL_ELF < 2)
	return NULL; /* a function pointer is a descriptor there, and the vDSO's symbols are not */
#endif
	if (base == 0)
		return NULL;
	segment = (const void *)(base + elf->e_phoff);
	for (unsigned int i = 0; i < elf->e_phnum; i++) {
		if (segment[i].p_type == PT_LOAD && !loaded) {
			slide = base + segment[i].p_offset - segment[i].p_vaddr;
			loaded = true;
		} else if (segment[i].p_type == PT_DYNAMIC) {
			dynamic = (const void *)(base + segment[i].p_offset);
		}
	}
	if (!loaded || dynamic == NULL)
		return NULL;
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		const void *p = (const void *)(slide + dynamic->d_un.d_ptr);

		if (dynamic->d_tag == DT_SYMTAB)
			symbols = p;
		else if (dynamic->d_tag == DT_STRTAB)
			strings = p;
		else if (dynamic->d_tag == DT_GNU_HASH)
			gnu_hash = p;
#ifndef __s390x__ /* there the entries of DT_HASH are 64 bits wide */
		else if (dynamic->d_tag == DT_HASH)
			hash = p;
#endif
	}
	if (symbols == NULL || strings == NULL)
		return NULL;
	for (size_t i = 0, n = symbol_count(gnu_hash, hash); i < n; i++)
		if (symbols[i].st_shndx != SHN_UNDEF && strcmp(strings + symbols[i].st_name, NAME) == 0)
			return (cprng_vgetrandom)(slide + symbols[i].st_value);
	return NULL;
}

bool cprng_vdso_getrandom_params(cprng_vgetrandom f, struct cprng_vgetrandom_params *params)
{
	return f(NULL, 0, 0, params, ~(size_t)0) == 0 && params->state_size > 0 && params->state_size <= 4096;
}
