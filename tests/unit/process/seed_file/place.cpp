// SPDX-License-Identifier: BSD-2-Clause
#include "place.hpp"

#include <cstdio>
#include <cstring>

Watched watched;

REPLACE(void, cprng_strong_read, (struct cprng_process * p, std::uint8_t *buf, std::size_t len))
{
	__real_cprng_strong_read(p, buf, len);
	watched.log.emplace_back("draw");
	if (watched.fresh.size() == len)
		std::memcpy(buf, watched.fresh.data(), len);
	watched.drawn.emplace_back(buf, buf + len);
}

REPLACE(void, cprng_strong_seed, (struct cprng_process * p, const void *buf, std::size_t len))
{
	const auto *bytes = static_cast<const std::uint8_t *>(buf);

	if (fake_os.each)
		fake_os.each("seed");
	watched.seeded.emplace_back(bytes, bytes + len);
	__real_cprng_strong_seed(p, buf, len);
}

Place::Place()
{
	char name[] = "/tmp/cprng-test-XXXXXX";

	REQUIRE(mkdtemp(name) != nullptr);
	directory = name;
	path = directory + "/seed";
	for (std::size_t i = 0; i < file_size; i++)
		old.push_back(static_cast<std::uint8_t>(i + 1));
	put(old);
	// Initialise the library before the test, since that opens /dev/vmclock0.
	std::uint8_t drawn[16];
	cprng_strong(drawn, sizeof(drawn));
	watched = Watched();
	fake_os = FakeOs();
	fake_os.each = [](const char *call) {
		watched.log.emplace_back(call);
		return watched.script ? watched.script(call) : 0;
	};
	fake_os.sleep.instead = [](std::uint32_t) { return 0L; };
	fake_os.fsync.instead = fake_os.fsync_directory.instead = [](int) { return 0L; };
}

Place::~Place()
{
	fake_os = FakeOs();
	std::filesystem::remove_all(directory);
}

int Place::exchange() const
{
	watched.log.clear();
	watched.drawn.clear();
	watched.seeded.clear();
	return cprng_seed_file(path.c_str());
}

void Place::put(const Bytes &content, const std::string &name) const
{
	std::ofstream(directory + name, std::ios::binary)
		.write(reinterpret_cast<const char *>(content.data()), static_cast<std::streamsize>(content.size()));
	chmod((directory + name).c_str(), 0600);
}

void Place::replace(const Bytes &content) const
{
	put(content, "/other");
	REQUIRE(rename((directory + "/other").c_str(), path.c_str()) == 0);
}

Bytes Place::content() const
{
	std::ifstream in(path, std::ios::binary);

	return Bytes(std::istreambuf_iterator<char>(in), {});
}

std::ptrdiff_t Place::files() const
{
	return std::distance(std::filesystem::directory_iterator(directory), {});
}

std::string Place::temporary() const
{
	struct stat status = {};
	char name[sizeof(".cprng-0123456789abcdef")];

	REQUIRE(stat(path.c_str(), &status) == 0);
	std::snprintf(name, sizeof(name), ".cprng-%016llx", static_cast<unsigned long long>(status.st_ino));
	return name;
}

Holder::Holder(const Place &place, short type) : fd_(open(place.path.c_str(), O_RDWR | O_CLOEXEC))
{
	REQUIRE(fd_ >= 0);
	REQUIRE(file_locks::set(fd_, type));
}

Holder::~Holder()
{
	close(fd_);
}

void Holder::release() const
{
	REQUIRE(file_locks::set(fd_, F_UNLCK));
}

std::ptrdiff_t times(const std::string &name)
{
	return std::count(watched.log.begin(), watched.log.end(), name);
}

unsigned int mode_of(const std::string &path)
{
	struct stat status = {};

	REQUIRE(stat(path.c_str(), &status) == 0);
	return status.st_mode & 07777;
}

std::ptrdiff_t open_descriptors()
{
	return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}
