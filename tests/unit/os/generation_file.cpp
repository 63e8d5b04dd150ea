// SPDX-License-Identifier: BSD-2-Clause
// Which generation files are mapped, and what happens when they change afterwards.
#include "../../support/machine.hpp"
#include "../../support/skips.hpp"
#include "../../support/trusted_place.hpp"

#include "os/linux/announcements.h"

#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <dirent.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

namespace {

constexpr char others[] = "refused: another user may change it or a directory on its way";
constexpr char no_mark[] = "refused: not made by cprng invalidate";
constexpr char absent[] = "absent";

// A mapping; a refused file has none.
struct Mapped {
	explicit Mapped(const std::string &name) : bytes(cprng_generation_file_map(name.c_str(), &state))
	{
	}

	~Mapped()
	{
		if (bytes != nullptr)
			munmap(const_cast<void *>(bytes), cprng_os_page_size());
	}

	Mapped(const Mapped &) = delete;
	Mapped &operator=(const Mapped &) = delete;

	std::uint64_t count() const
	{
		return cprng_generation_file_count(bytes);
	}

	const char *state = nullptr;
	const void *bytes;
};

std::size_t open_descriptors()
{
	DIR *const list = opendir("/proc/self/fd");
	std::size_t n = 0;

	while (list != nullptr && readdir(list) != nullptr)
		n++;
	closedir(list);
	return n;
}

// A refusal must not wait for a FIFO's writer: SIGALRM would interrupt such an open, which would then fail differently.
void check_refused(const std::string &name, const std::string &why)
{
	const std::size_t before = open_descriptors();

	struct sigaction interrupt = {};
	interrupt.sa_handler = [](int) {};
	sigaction(SIGALRM, &interrupt, nullptr);
	alarm(20);
	const Mapped m(name);
	alarm(0);
	CAPTURE(name);
	CHECK(m.bytes == nullptr);
	CHECK(std::string(m.state) == why);
	CHECK(open_descriptors() == before);
}

} // namespace

// Catches a mapped file that does not show a step, and a descriptor that stays open.
TEST_CASE("generation file: mapped, and read where it is written")
{
	const TrustedPlace place;
	SKIP_IF(!place.is_there(), "no directory that other users cannot change");
	const std::string file = place.make("generation", 7, 3 * 4096);
	const std::size_t before = open_descriptors();
	const Mapped m(file);

	REQUIRE(std::string(m.state) == "mapped");
	CHECK(open_descriptors() == before);
	CHECK(m.count() == 7);
	for (const std::uint64_t generation : { 8ull, 0ull, ~0ull, 1ull << 32 }) {
		TrustedPlace::put(file, generation);
		CHECK(m.count() == generation);
	}
	// The mapping is read-only: the library never writes to this file.
	std::string line;
	const std::unique_ptr<FILE, int (*)(FILE *)> maps(std::fopen("/proc/self/maps", "re"), std::fclose);
	bool found = false;
	for (char text[4096]; std::fgets(text, sizeof(text), maps.get()) != nullptr;) {
		line = text;
		if (line.find(file) != std::string::npos) {
			found = true;
			CHECK(line.find(" r--s ") != std::string::npos);
		}
	}
	CHECK(found);
	// Names with superfluous dots and slashes.
	const std::size_t slash = file.rfind('/');
	CHECK(Mapped("//" + file.substr(1, slash) + "/./" + file.substr(slash + 1)).count() == 1ull << 32);
}

// Catches a bad name or kind of file that is opened, waited for, or accepted as a generation file.
TEST_CASE("generation file: what is no such file is refused, and nothing waits for it")
{
	const TrustedPlace place;
	SKIP_IF(!place.is_there(), "no directory that other users cannot change");
	const std::string file = place.make("generation");
	constexpr char no_name[] = "refused: its name does not begin with /, or is too long";

	check_refused("", "none");
	check_refused("generation", no_name);
	check_refused("/" + std::string(CPRNG_FILE_NAME_MAX - 2, 'x'), no_name);
	check_refused("/" + std::string(CPRNG_FILE_NAME_MAX + 100, 'x'), no_name);
	check_refused("/" + std::string(CPRNG_FILE_NAME_MAX - 3, 'x'), "refused: it cannot be opened"); // ENAMETOOLONG
	check_refused(place.path("nothing"), absent);
	check_refused(place.path("nothing/generation"), absent);
	check_refused(place.path(""), absent);
	check_refused("/", absent);

	REQUIRE(mkdir(place.path("directory").c_str(), 0755) == 0);
	check_refused(place.path("directory"), "refused: not a regular file");
	REQUIRE(mkfifo(place.path("fifo").c_str(), 0644) == 0);
	check_refused(place.path("fifo"), "refused: not a regular file");
	REQUIRE(symlink(file.c_str(), place.path("link").c_str()) == 0);
	check_refused(place.path("link"), "refused: a symbolic link");
	REQUIRE(symlink(".", place.path("here").c_str()) == 0);
	check_refused(place.path("here/generation"), "refused: a symbolic link or a file among its directories");
	check_refused(file + "/generation", "refused: a symbolic link or a file among its directories");
	check_refused("/dev/null", "refused: not a regular file");
	check_refused("/proc/version", "refused: its file system is not tmpfs, ramfs, ext4, XFS or Btrfs");

	sockaddr_un address = {};
	address.sun_family = AF_UNIX;
	const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	REQUIRE(place.path("socket").size() < sizeof(address.sun_path));
	std::strcpy(address.sun_path, place.path("socket").c_str());
	REQUIRE(bind(listener, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0);
	check_refused(place.path("socket"), "refused: it cannot be opened");
	close(listener);

	check_refused(place.make("short", 1, 4095), no_mark);
	check_refused(place.make("empty", 1, 0), no_mark);
	const std::string sparse = place.make("sparse", 1, 0);
	REQUIRE(truncate(sparse.c_str(), 4096) == 0);
	check_refused(sparse, no_mark);
	const std::string marked = place.make("marked");
	const int fd = open(marked.c_str(), O_WRONLY | O_CLOEXEC);
	REQUIRE(pwrite(fd, "N", 1, 7) == 1);
	close(fd);
	check_refused(marked, no_mark);
}

// Catches a file that another user may truncate, which would kill the process, and a directory in which that user may put a
// file.
TEST_CASE("generation file: what another user may change is refused")
{
	const TrustedPlace place;
	SKIP_IF(!place.is_there(), "no directory that other users cannot change");
	const std::string file = place.make("generation");

	for (const mode_t bad : { 0664u, 0646u, 0622u }) {
		REQUIRE(chmod(file.c_str(), bad) == 0);
		check_refused(file, others);
	}
	REQUIRE(chmod(file.c_str(), 0400) == 0);
	CHECK(Mapped(file).bytes != nullptr);
	// A sticky directory is refused, too: another user may have created the file there first.
	for (const mode_t bad : { 0775u, 0757u, 01777u }) {
		REQUIRE(chmod(place.path("").c_str(), bad) == 0);
		check_refused(file, others);
	}
	REQUIRE(chmod(place.path("").c_str(), 0755) == 0);
	CHECK(Mapped(file).bytes != nullptr);

	SKIP_IF(geteuid() != 0, "only root has files of two users");
	REQUIRE(chmod(file.c_str(), 0644) == 0);
	REQUIRE(chown(file.c_str(), 65534, 0) == 0);
	check_refused(file, others);
	REQUIRE(chown(file.c_str(), 0, 0) == 0);
	REQUIRE(chown(place.path("").c_str(), 65534, 0) == 0);
	check_refused(file, others);
	REQUIRE(chown(place.path("").c_str(), 0, 0) == 0);

	// A root directory in which any user may put another directory.
	const pid_t changed = fork();
	if (changed == 0) {
		if (chroot(place.path("").c_str()) != 0 || chdir("/") != 0)
			_exit(77);
		if (Mapped("/generation").bytes == nullptr || chmod("/", 0757) != 0)
			_exit(1);
		_exit(std::string(Mapped("/generation").state) != others);
	}
	const int of_root = machine::status_of(changed);
	CHECK((of_root == 0 || (WIFEXITED(of_root) && WEXITSTATUS(of_root) == 77)));
	REQUIRE(chmod(place.path("").c_str(), 0755) == 0);

	// Another user can use root's file and its own.  It cannot truncate root's file, and cannot read a file closed to it.
	const std::string closed = place.make("closed"), own = place.make("own");
	REQUIRE(chmod(closed.c_str(), 0600) == 0);
	REQUIRE(chown(own.c_str(), 54321, 54321) == 0);
	const pid_t child = fork();
	if (child == 0) {
		if (setgid(54321) != 0 || setuid(54321) != 0)
			_exit(1);
		_exit(Mapped(file).bytes == nullptr || Mapped(own).bytes == nullptr || truncate(file.c_str(), 0) == 0 ||
		      std::string(Mapped(closed).state) != "refused: it cannot be opened");
	}
	int status;
	REQUIRE(waitpid(child, &status, 0) == child);
	CHECK(status == 0);
}

// Catches a file that any user may truncate, where a namespace shows its owner and the process's user as the same user.
TEST_CASE("generation file: in a user namespace that maps no user, it is another user's")
{
	const TrustedPlace place;
	SKIP_IF(!place.is_there(), "no directory that other users cannot change");
	const std::string file = place.make("generation");
	CHECK(Mapped(file).bytes != nullptr);
	const pid_t child = fork();

	// 77: this machine has no such namespaces.
	if (child == 0) {
		if (unshare(CLONE_NEWUSER) != 0)
			_exit(77);
		_exit(std::string(Mapped(file).state) != others);
	}
	const int status = machine::status_of(child);
	SKIP_IF(WIFEXITED(status) && WEXITSTATUS(status) == 77, "no user namespaces");
	CHECK(status == 0);
}

// Catches a file system whose page faults may wait, or that shows readers other content than writers.
TEST_CASE("generation file: in an overlay it is refused, on a tmpfs mapped")
{
	const TrustedPlace place;
	SKIP_IF(!place.is_there() || geteuid() != 0, "no mount without root");
	const pid_t child = fork();

	// 77: this machine cannot mount.
	if (child == 0) {
		if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
		    mount("none", place.path("").c_str(), "tmpfs", 0, "mode=755") != 0)
			_exit(77);
		for (const char *name : { "lower", "upper", "work", "merged" }) {
			if (mkdir(place.path(name).c_str(), 0755) != 0)
				_exit(1);
		}
		const std::string file = place.make("lower/generation");
		if (Mapped(file).bytes == nullptr)
			_exit(2);
		const std::string options = "lowerdir=" + place.path("lower") + ",upperdir=" + place.path("upper") +
					    ",workdir=" + place.path("work");
		if (mount("none", place.path("merged").c_str(), "overlay", 0, options.c_str()) != 0)
			_exit(77);
		const Mapped m(place.path("merged/generation"));
		_exit(std::string(m.state) == "refused: its file system is not tmpfs, ramfs, ext4, XFS or Btrfs" ? 0 :
														   3);
	}
	int status;
	REQUIRE(waitpid(child, &status, 0) == child);
	SKIP_IF(WIFEXITED(status) && WEXITSTATUS(status) == 77, "no tmpfs or overlay can be mounted");
	CHECK(status == 0);
}

// Catches a change of the file that kills a reader; shows the only change that does, which only the owner can make.
TEST_CASE("generation file: cut, emptied, removed and replaced under a reader")
{
	const TrustedPlace place;
	SKIP_IF(!place.is_there(), "no directory that other users cannot change");
	const std::string file = place.make("generation", ~0ull);
	const Mapped m(file);
	REQUIRE(m.bytes != nullptr);

	for (const off_t size : { 4095, 17, 16 }) {
		REQUIRE(truncate(file.c_str(), size) == 0);
		CHECK(m.count() == ~0ull);
	}
	// Zeros are another generation: an unnecessary announcement, but harmless.
	for (const off_t size : { 9, 8, 1 }) {
		REQUIRE(truncate(file.c_str(), size) == 0);
		CHECK(m.count() != ~0ull);
	}
	const int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
	REQUIRE(ftruncate(fd, 4096) == 0);
	TrustedPlace::put(file, 5);
	CHECK(m.count() == 5);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0)
		CHECK(m.count() == 0);
	close(fd);

	TrustedPlace::put(file, 6);
	REQUIRE(rename(place.make("other", 9).c_str(), file.c_str()) == 0);
	CHECK(m.count() == 6);
	REQUIRE(unlink(file.c_str()) == 0);
	CHECK(m.count() == 6);

	const std::string last = place.make("last");
	const Mapped mapped(last);
	REQUIRE(mapped.bytes != nullptr);
	const pid_t child = fork();
	if (child == 0) {
		const rlimit none = {};
		setrlimit(RLIMIT_CORE, &none);
		std::signal(SIGBUS, SIG_DFL);
		if (truncate(last.c_str(), 0) != 0)
			_exit(1);
		_exit(mapped.count() == 0);
	}
	int status;
	REQUIRE(waitpid(child, &status, 0) == child);
	CHECK(WIFSIGNALED(status));
	CHECK(WTERMSIG(status) == SIGBUS);
}

// Catches a file that is read only if a device exists, too, and an empty setting that counts as a name.
TEST_CASE("os: a generation file alone is read")
{
	const TrustedPlace place;
	SKIP_IF(!place.is_there(), "no directory that other users cannot change");
	SKIP_IF(machine::emulated(), "an emulated program cannot start itself");
	const std::string file = place.make("generation", 7);

	// Executes the program again, since the search happens at load.
	for (const std::string &name : { file, std::string() }) {
		const pid_t child = fork();
		if (child == 0) {
			setenv("CPRNG_GENERATION_FILE", name.c_str(), 1);
			execl("/proc/self/exe", "os", "--test-case=os: what announces clones is found at load",
			      nullptr);
			_exit(1);
		}
		int status;
		REQUIRE(waitpid(child, &status, 0) == child);
		CHECK(status == 0);
	}
}

// Catches a setting that is ignored, and a file that is mapped but not compared.
TEST_CASE("os: what announces clones is found at load")
{
	const char *const name = std::getenv("CPRNG_GENERATION_FILE");
	const cprng_os_announcements *const a = cprng_os_find_announcements();
	const struct cprng_os_announced announced = cprng_os_announced();
	const bool mapped = std::string(announced.file_state) == "mapped";

	CHECK(std::string(announced.file) == (name != nullptr ? name : "/run/cprng/generation"));
	CHECK((std::string(announced.pages).find("generation-file") != std::string::npos) == mapped);
	CHECK((a != nullptr) == (std::string(announced.pages) != "none"));
	if (name == nullptr)
		return;
	// Set by the test case above.
	CHECK(mapped == (*name != '\0'));
	if (!mapped)
		return;
	REQUIRE(a != nullptr);
	const std::uint64_t before = cprng_os_vm_generation(a);
	CHECK(cprng_os_vm_shows(a, before));
	TrustedPlace::put(name, 8);
	CHECK_FALSE(cprng_os_vm_shows(a, before));
	// Random numbers may differ in only one half.
	TrustedPlace::put(name, 7 + (1ull << 32));
	CHECK_FALSE(cprng_os_vm_shows(a, before));
	CHECK(cprng_os_vm_generation(a) != before);
	TrustedPlace::put(name, 7);
	CHECK(cprng_os_vm_shows(a, before));
}
