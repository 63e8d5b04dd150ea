/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__linux__) && !defined(CPRNG_POSIX)

#include "os/linux/vdso.h"

#include "os/linux/sys.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

/* The architecture's name of the function in the vDSO's symbol table: arch/<arch>/kernel/vdso*<slash>vdso.lds.S. */
#if defined(__aarch64__) || defined(__s390x__) || defined(__powerpc__)
#define NAME "__kernel_getrandom"
#else
#define NAME "__vdso_getrandom"
#endif

/*
 * The vDSO's image.  A sandbox or an emulator may have supplied it, and it may be damaged.  Only its first page and its first
 * load segment are assumed to be mapped, and nothing else is read, whatever its tables contain.
 */
struct image {
	uintptr_t base;
	size_t size;
};

#define FIRST_PAGE 4096U         /* the smallest page of Linux */
#define LARGEST_IMAGE (1U << 20) /* images of kernels have a few pages; sums of such offsets fit 32 bits */

/* Return the address if its len bytes are in the image and aligned, otherwise NULL. */
static const void *part(const struct image *image, uintptr_t at, size_t len, size_t alignment)
{
	const uintptr_t offset = at - image->base;

	return offset <= image->size && len <= image->size - offset && at % alignment == 0 ? (const void *)at : NULL;
}

/* Return the number of dynamic symbols, which only the hash tables reveal. */
static size_t symbol_count(const struct image *image, uintptr_t gnu_hash, uintptr_t hash)
{
	const uint32_t *words = part(image, hash != 0 ? hash : gnu_hash, hash != 0 ? 8 : 16, 4);
	uint32_t nbuckets, bias, bloom, last = 0;
	uintptr_t buckets;

	if (words == NULL || hash != 0)
		return words == NULL ? 0 : words[1];
	nbuckets = words[0];
	bias = words[1];
	bloom = words[2];
	if (nbuckets > image->size || bloom > image->size)
		return 0;
	buckets = gnu_hash + 16 + bloom * sizeof(ElfW(Addr));
	words = part(image, buckets, 4 * (size_t)nbuckets, 4);
	for (uint32_t i = 0; words != NULL && i < nbuckets; i++)
		if (words[i] > last)
			last = words[i];
	if (words == NULL || last < bias)
		return 0;
	/* The low bit marks the end of a bucket's chain. */
	for (uintptr_t i = last - bias; i <= image->size; i++) {
		words = part(image, buckets + 4 * (nbuckets + i), 4, 4);
		if (words == NULL)
			return 0;
		if (*words & 1)
			return bias + i + 1;
	}
	return 0;
}

/* Find the offset to add to the first load segment's addresses, its size, which bounds the image, and the dynamic section. */
static bool find_segments(struct image *image, uintptr_t *slide, uintptr_t *dynamic)
{
	const ElfW(Ehdr) *elf = (const void *)image->base;
	const ElfW(Phdr) *segment;
	bool loaded = false;

	if (elf->e_phoff > image->size)
		return false;
	segment = part(image, image->base + elf->e_phoff, elf->e_phnum * sizeof(*segment), _Alignof(ElfW(Phdr)));
	for (unsigned int i = 0; segment != NULL && i < elf->e_phnum; i++) {
		if (segment[i].p_type == PT_LOAD && !loaded) {
			*slide = image->base + segment[i].p_offset - segment[i].p_vaddr;
			if (segment[i].p_filesz > LARGEST_IMAGE || segment[i].p_offset != 0)
				return false;
			image->size = segment[i].p_filesz;
			loaded = true;
		} else if (segment[i].p_type == PT_DYNAMIC) {
			*dynamic = image->base + segment[i].p_offset;
		}
	}
	return loaded && *dynamic != 0;
}

cprng_vgetrandom cprng_vdso_getrandom_of(const void *base)
{
	struct image image = { (uintptr_t)base, FIRST_PAGE };
	uintptr_t slide = 0, dynamic = 0, symbols = 0, strings = 0, gnu_hash = 0, hash = 0;
	const ElfW(Dyn) *entry;
	const ElfW(Sym) *symbol;

	if (!find_segments(&image, &slide, &dynamic))
		return NULL;
	for (;; dynamic += sizeof(*entry)) {
		entry = part(&image, dynamic, sizeof(*entry), _Alignof(ElfW(Dyn)));
		if (entry == NULL)
			return NULL;
		if (entry->d_tag == DT_NULL)
			break;
		if (entry->d_tag == DT_SYMTAB)
			symbols = slide + entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			strings = slide + entry->d_un.d_ptr;
		else if (entry->d_tag == DT_GNU_HASH)
			gnu_hash = slide + entry->d_un.d_ptr;
#ifndef __s390x__ /* there the entries of DT_HASH are 64 bits wide */
		else if (entry->d_tag == DT_HASH)
			hash = slide + entry->d_un.d_ptr;
#endif
	}
	for (size_t i = 0, n = symbol_count(&image, gnu_hash, hash); i < n; i++) {
		const char *name;

		symbol = part(&image, symbols + i * sizeof(*symbol), sizeof(*symbol), _Alignof(ElfW(Sym)));
		if (symbol == NULL)
			return NULL;
		name = part(&image, strings + symbol->st_name, sizeof(NAME), 1);
		if (name != NULL && symbol->st_shndx != SHN_UNDEF && memcmp(name, NAME, sizeof(NAME)) == 0)
			return (cprng_vgetrandom)part(&image, slide + symbol->st_value, 1, 1);
	}
	return NULL;
}

cprng_vgetrandom cprng_vdso_getrandom(void)
{
	const uintptr_t base = cprng_sys_auxv(AT_SYSINFO_EHDR);

#if defined(__powerpc64__) && (!defined(_CALL_ELF) || _CALL_ELF < 2)
	return NULL; /* a function pointer is a descriptor there, and the vDSO's symbols are not */
#endif
	return base != 0 ? cprng_vdso_getrandom_of((const void *)base) : NULL;
}

bool cprng_vdso_getrandom_params(cprng_vgetrandom f, struct cprng_vgetrandom_params *params)
{
	return f(NULL, 0, 0, params, ~(size_t)0) == 0 && params->state_size > 0 && params->state_size <= 4096;
}

#endif
