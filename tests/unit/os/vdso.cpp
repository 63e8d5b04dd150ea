// SPDX-License-Identifier: BSD-2-Clause
// The search in the vDSO, which a sandbox or emulator may supply, in damaged copies of this process's own.
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

// The image at the end of a page, after which nothing is mapped.
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

	// The offset of the function, or -1.
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
	size_t size_at = 0; // offset of the first load segment's size, which is trusted
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

// Catches a search that leaves the image where its tables are wrong, or finds nothing in an intact one.
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
		// Changing a segment's type, too, makes another one the first.
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
	// Some of the changes matter, if there is a function to find.
	CHECK((changed > 0) == (right >= 0));
}

// Under a kernel without the function, the copy has another one by its name.
// Catches the address of a symbol that is not defined.
TEST_CASE("vdso: a symbol that is not defined is not found")
{
	Kernels kernel = kernels();

	SKIP_IF(kernel.image.empty(), "this process has no vDSO");
	if (cprng_vdso_getrandom() == nullptr) {
		const std::string other = "_gettimeofday", wanted("_getrandom\0", 11);
		const auto at = std::search(kernel.image.begin(), kernel.image.end(), other.c_str(),
					    other.c_str() + other.size() + 1);
		SKIP_IF(at == kernel.image.end(), "its names are others");
		std::copy(wanted.begin(), wanted.end(), at);
	}
	Copy copy(kernel.image);
	const ptrdiff_t defined = copy.found();
	SKIP_IF(defined < 0, "its names are others");
	// Whatever could be an entry for the address, under any name.
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
	SKIP_IF(kernel.image.size() < 4096, "its image is shorter than the first cut");
	for (size_t size = 4096; size <= kernel.image.size(); size += 4096) {
		std::vector<unsigned char> some(kernel.image.begin(),
						kernel.image.begin() + static_cast<ptrdiff_t>(size));
		const size_t claimed = size;

		std::memcpy(&some[kernel.size_at], &claimed, sizeof(claimed));
		Copy copy(some);
		CHECK(copy.found() < static_cast<ptrdiff_t>(size));
	}
}
