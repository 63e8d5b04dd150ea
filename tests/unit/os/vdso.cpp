// SPDX-License-Identifier: BSD-2-Clause
// The search in the vDSO.  A sandbox or an emulator may supply a vDSO, so the tests damage copies of this process's own.
#include "support.hpp"

extern "C" {
#include "os/linux/vdso.h"
}

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

namespace {

// A copy of the image that ends at a page border, behind which nothing is mapped.
class Copy {
public:
	explicit Copy(const std::vector<unsigned char> &image)
	    : original(image), whole((image.size() + 4095) / 4096 * 4096)
	{
		void *p = mmap(nullptr, whole + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		REQUIRE(p != MAP_FAILED);
		REQUIRE(mprotect(p, whole, PROT_READ | PROT_WRITE) == 0);
		start = static_cast<unsigned char *>(p);
		restore();
	}
	Copy(const Copy &) = delete;
	Copy &operator=(const Copy &) = delete;
	~Copy()
	{
		munmap(start, whole + 65536);
	}

	void restore()
	{
		std::copy(original.begin(), original.end(), start);
	}
	unsigned char &operator[](size_t i)
	{
		return start[i];
	}

	// The offset of the function found, or -1.
	ptrdiff_t found() const
	{
		const auto at = reinterpret_cast<uintptr_t>(cprng_vdso_getrandom_of(start));

		return at == 0 ? -1 : static_cast<ptrdiff_t>(at - reinterpret_cast<uintptr_t>(start));
	}

private:
	const std::vector<unsigned char> &original;
	const size_t whole;
	unsigned char *start;
};

struct Kernels {
	std::vector<unsigned char> image;
	size_t segments_from = 0, segments_to = 0;
	size_t size_at = 0; // offset of the first load segment's size, which the search trusts
};

Kernels kernels()
{
	Kernels result;
	const auto base = getauxval(AT_SYSINFO_EHDR);

	if (base == 0)
		return result;
	const auto *bytes = reinterpret_cast<const unsigned char *>(base);
	const auto *elf = reinterpret_cast<const ElfW(Ehdr) *>(base);
	const auto *segments = reinterpret_cast<const ElfW(Phdr) *>(base + elf->e_phoff);

	for (size_t i = 0; i < elf->e_phnum; i++) {
		if (segments[i].p_type == PT_LOAD) {
			result.image.assign(bytes, bytes + segments[i].p_filesz);
			result.segments_from = elf->e_phoff;
			result.segments_to = elf->e_phoff + elf->e_phnum * sizeof(segments[0]);
			result.size_at = elf->e_phoff + i * sizeof(segments[0]) + offsetof(ElfW(Phdr), p_filesz);
			break;
		}
	}
	return result;
}

} // namespace

// Catches a search that reads outside an image whose tables are wrong, or that finds nothing in an intact image.
TEST_CASE("vdso: nothing outside of a spoiled image is read")
{
	const Kernels kernel = kernels();

	SKIP_IF(kernel.image.empty(), "this process has no vDSO");
	Copy copy(kernel.image);
	const ptrdiff_t right = copy.found();
	const auto real = reinterpret_cast<uintptr_t>(cprng_vdso_getrandom());

	CHECK(right == (real == 0 ? -1 : static_cast<ptrdiff_t>(real - getauxval(AT_SYSINFO_EHDR))));
	const auto size = static_cast<ptrdiff_t>(kernel.image.size());
	size_t changed = 0;

	for (size_t i = 0; i < kernel.image.size(); i++) {
		// Changing a segment's type as well makes another segment the first.
		if (i >= kernel.segments_from && i < kernel.segments_to &&
		    (i - kernel.segments_from) % sizeof(ElfW(Phdr)) < 4)
			continue;
		if (i >= kernel.size_at && i < kernel.size_at + sizeof(size_t))
			continue;
		for (int value : { 0, 1, 0x7f, 0x80, 0xff, kernel.image[i] ^ 4, kernel.image[i] + 8 }) {
			copy[i] = static_cast<unsigned char>(value);
			const ptrdiff_t found = copy.found();

			CHECK_MESSAGE((found >= -1 && found < size), "byte ", i, " is ", value, ": ", found);
			changed += found != right;
			copy[i] = kernel.image[i];
		}
	}
	// If there is a function to find, some of the changes must matter.
	CHECK((changed > 0) == (right >= 0));
}

// Under a kernel without the function, another function in the copy gets its name.
// Catches the use of the address of an undefined symbol.
TEST_CASE("vdso: a symbol that is not defined is not found")
{
	Kernels kernel = kernels();

	SKIP_IF(kernel.image.empty(), "this process has no vDSO");
	if (cprng_vdso_getrandom() == nullptr) {
		const std::string other = "_gettimeofday", wanted("_getrandom\0", 11);
		const auto at = std::search(kernel.image.begin(), kernel.image.end(), other.c_str(),
					    other.c_str() + other.size() + 1);
		SKIP_IF(at == kernel.image.end(), "this vDSO uses other names");
		std::copy(wanted.begin(), wanted.end(), at);
	}
	Copy copy(kernel.image);
	const ptrdiff_t defined = copy.found();
	SKIP_IF(defined < 0, "this vDSO uses other names");
	// Every entry that could refer to the address, under any name.
	for (size_t i = 0; i + sizeof(ElfW(Sym)) <= kernel.image.size(); i += alignof(ElfW(Sym))) {
		ElfW(Sym) symbol;
		std::memcpy(&symbol, &kernel.image[i], sizeof(symbol));
		if (symbol.st_value != static_cast<ElfW(Addr)>(defined) || (symbol.st_info & 15) != STT_FUNC)
			continue;
		symbol.st_shndx = SHN_UNDEF;
		std::memcpy(&copy[i], &symbol, sizeof(symbol));
	}
	CHECK(copy.found() == -1);
}

// Catches a read beyond the end of a truncated image.
TEST_CASE("vdso: nothing behind an image that is cut off is read")
{
	const Kernels kernel = kernels();

	SKIP_IF(kernel.image.empty(), "this process has no vDSO");
	SKIP_IF(kernel.image.size() < 4096, "the vDSO is shorter than the first truncated length");
	for (size_t size = 4096; size <= kernel.image.size(); size += 4096) {
		std::vector<unsigned char> some(kernel.image.begin(),
						kernel.image.begin() + static_cast<ptrdiff_t>(size));
		const size_t claimed = size;

		std::memcpy(&some[kernel.size_at], &claimed, sizeof(claimed));
		Copy copy(some);
		CHECK(copy.found() < static_cast<ptrdiff_t>(size));
	}
}
