// SPDX-License-Identifier: BSD-2-Clause
// The pages of devices that announce clones.
#include "../../support/polled.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

namespace {

const auto page_size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

// A file with a page that passes for a device; the library can open nothing else.
struct Device {
	explicit Device(const std::string &path)
	{
		fake_os.openat.instead = [=](int, const char *opened, int, unsigned int) {
			CHECK(opened == path);
			fd = page.file();
			return static_cast<long>(fd);
		};
		fake_os.change_status = [](struct stat &status) { status.st_mode = S_IFCHR | 0444; };
		fake_os.close.before = [=](int closed) { CHECK(closed == fd); };
	}

	~Device()
	{
		fake_os = FakeOs();
	}

	Device(const Device &) = delete;
	Device &operator=(const Device &) = delete;

	VmPage page;
	int fd = -1;
};

} // namespace

// Catches two generations with the same number, and a generation that looks like none.
TEST_CASE("vmclock: generations differ from each other, and are never 0")
{
	VmPage page;
	std::uint64_t before = 0;

	CHECK(cprng_os_vm_generation(nullptr) == 0);
	for (const std::uint64_t generation : { 0ull, 1ull, 2ull, 1ull << 32, 1ull << 63, ~0ull - 1, ~0ull, 0ull }) {
		page.put(104, generation, 8);
		const std::uint64_t now = cprng_os_vm_generation(&page.announced);
		CHECK(now != 0);
		CHECK(now != before);
		CHECK(cprng_os_vm_generation(&page.announced) == now);
		CHECK_FALSE(cprng_os_vm_shows(&page.announced, before));
		CHECK(cprng_os_vm_shows(&page.announced, now));
		before = now;
	}
}

// Catches a page of an older hypervisor that is ignored.
TEST_CASE("vmclock: without generations disruptions count")
{
	VmPage page;

	page.put(16, 7, 8);
	const std::uint64_t generation = cprng_os_vm_generation(&page.announced);
	page.put(16, 8, 8);
	CHECK(cprng_os_vm_generation(&page.announced) == generation);
	CHECK(cprng_os_vm_shows(&page.announced, generation));
	page.put(24, 0xff, 8);
	const std::uint64_t disruptions = cprng_os_vm_generation(&page.announced);
	page.put(104, 5, 8);
	CHECK(cprng_os_vm_shows(&page.announced, disruptions));
	page.put(16, 9, 8);
	CHECK_FALSE(cprng_os_vm_shows(&page.announced, disruptions));
	CHECK(cprng_os_vm_generation(&page.announced) != disruptions);
}

// Catches a reader that waits for the hypervisor indefinitely.
TEST_CASE("vmclock: a write that is never finished does not hold the reader up")
{
	VmPage page;

	page.put(12, 3, 4);
	page.put(104, 5, 8);
	const std::uint64_t five = cprng_os_vm_generation(&page.announced);
	page.put(104, 6, 8);
	CHECK(cprng_os_vm_generation(&page.announced) != five);
	page.put(104, 5, 8);
	page.put(12, 4, 4);
	CHECK(cprng_os_vm_generation(&page.announced) == five);
}

// Catches a device that is used although it is not a vmclock, and a descriptor that stays open.
TEST_CASE("vmclock: the page is mapped, or left alone")
{
	struct Case {
		const char *what;
		std::size_t at, size;
		std::uint64_t value;
		bool good;
	};
	const Case cases[] = {
		{ "as it should be", 4, 4, 4096, true },
		{ "a page of 64 KiB", 4, 4, 65536, true },
		{ "other flags besides", 24, 8, 0x1ff, true },
		{ "just large enough", 4, 4, 112, true },
		{ "too small for the generation", 4, 4, 111, false },
		{ "wrong magic", 0, 4, 0x4b4c4357, false },
		{ "magic of the other byte order", 0, 4, 0x56434c4b, false },
		{ "another version", 8, 2, 2, false },
		{ "no generation: disruptions of the clock have to do", 24, 8, 0xff, true },
		{ "nothing at all", 0, 8, 0, false },
	};

	for (const Case &c : cases) {
		Device device("/dev/vmclock0");
		VmPage &page = device.page;

		CAPTURE(c.what);
		page.put(c.at, c.value, c.size);
		page.put(104, 41, 8);
		const void *mapped = cprng_vmclock_map();
		CHECK((mapped != nullptr) == c.good);
		CHECK(fake_os.close.calls == 1);
		CHECK(fake_os.munmap.calls == (c.good ? 0 : 1));
		if (mapped != nullptr) {
			page.put(104, 41, 8);
			CHECK(cprng_vmclock_read(mapped) == cprng_vmclock_read(page.bytes));
			CHECK(munmap(const_cast<void *>(mapped), page_size) == 0);
		}
	}

	Device device("/dev/vmclock0");
	fake_os.openat.answer = -ENOENT;
	CHECK(cprng_vmclock_map() == nullptr);
	CHECK(fake_os.close.calls == 0);
	fake_os.openat.answer = 0;
	fake_os.map_file.answer = -EAGAIN;
	fake_os.map_file.before = [](int, std::size_t len) { CHECK(len == page_size); };
	CHECK(cprng_vmclock_map() == nullptr);
	CHECK(fake_os.close.calls == 1);
	CHECK(fake_os.munmap.calls == 0);

	// A container's /dev may contain an empty file instead; reading its page would fault.
	fake_os.map_file.answer = 0;
	fake_os.change_status = nullptr;
	CHECK(cprng_vmclock_map() == nullptr);
	CHECK(fake_os.close.calls == 2);
}

// Catches /dev/sysgenid under a wrong name, not used, or accepted although it is a plain file.
TEST_CASE("vmclock: sysgenid is mapped from its device")
{
	Device device("/dev/sysgenid");

	const void *const mapped = cprng_sysgenid_map();
	REQUIRE(mapped != nullptr);
	CHECK(std::memcmp(mapped, device.page.bytes, sizeof(device.page.bytes)) == 0);
	CHECK(munmap(const_cast<void *>(mapped), page_size) == 0);
	fake_os.change_status = nullptr;
	CHECK(cprng_sysgenid_map() == nullptr);
	CHECK(fake_os.close.calls == 2);
}

// Catches a page that is ignored when there are several, and steps of two pages that cancel each other.
TEST_CASE("vmclock: a step of any page is another generation")
{
	VmPage page;
	alignas(8) std::uint32_t sysgenid[4] = {};
	alignas(8) std::uint64_t file[2] = {};

	for (int pages = 1; pages < 8; pages++) {
		const cprng_os_announcements a = { (pages & 1) != 0 ? page.bytes : nullptr,
						   (pages & 2) != 0 ? sysgenid : nullptr,
						   (pages & 4) != 0 ? file : nullptr, "none", "" };
		std::vector<std::uint64_t> seen;

		CAPTURE(pages);
		// All states of three counters after small steps, and the largest numbers.
		for (const std::uint64_t v : { 0ull, 1ull, 2ull, ~0ull }) {
			for (const std::uint32_t s : { 0u, 1u, 2u, ~0u }) {
				for (const std::uint64_t f : { 0ull, 1ull, 2ull, ~0ull }) {
					page.put(104, v, 8);
					sysgenid[0] = s;
					file[1] = f;
					const std::uint64_t now = cprng_os_vm_generation(&a);
					CHECK(now != 0);
					CHECK(cprng_os_vm_shows(&a, now));
					seen.push_back(now);
				}
			}
		}
		std::sort(seen.begin(), seen.end());
		const auto different = std::unique(seen.begin(), seen.end()) - seen.begin();
		const int counters = (pages & 1) + (pages >> 1 & 1) + (pages >> 2 & 1);
		CHECK(different == 1 << 2 * counters);
	}
}
