// SPDX-License-Identifier: BSD-2-Clause
// The contract of os.h: files.
#include "support.hpp"
#include "every_system.hpp"

#include <cerrno>
#include <cstring>

#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace every_system;

// Catches a mode that the umask changes, an existing file or link that is opened, and bytes that are not written or not read
// back.
TEST_CASE("os: a new file belongs to its owner alone, and was not there before")
{
	Directory directory;
	const mode_t mask = umask(0777);
	const long fd = cprng_os_create_file(directory.number, "new");
	umask(0);
	const Descriptor open_one(cprng_os_create_file(directory.number, "open"));
	umask(mask);
	const Descriptor created(fd);

	for (const char *name : { "new", "open" }) {
		struct stat status = {};
		REQUIRE(stat((directory.path + "/" + name).c_str(), &status) == 0);
		CHECK((status.st_mode & 07777) == 0600);
	}
	CHECK(cprng_os_create_file(directory.number, "new") == -EEXIST);
	REQUIRE(symlink("elsewhere", (directory.path + "/link").c_str()) == 0);
	CHECK(cprng_os_create_file(directory.number, "link") == -EEXIST);
	CHECK(cprng_os_create_file(directory.number, "none/new") == -ENOENT);

	CHECK(cprng_os_write_file(created, "abc", 3) == 3);
	CHECK(cprng_os_sync_file(created) == 0);
	CHECK(cprng_os_sync_file(directory.number) == 0);
	const Descriptor again(cprng_os_open_file(directory.number, "new"));
	char text[8] = {};
	CHECK(cprng_os_read_file(again, text, sizeof(text)) == 3);
	CHECK(std::string(text) == "abc");
	CHECK(cprng_os_read_file(again, text, sizeof(text)) == 0);
	CHECK(cprng_os_write_file(again, "d", 1) == 1);
	CHECK(found(directory, "new").size == 4);
}

// Catches a planted link that is followed, a FIFO that blocks, and a lost error.
TEST_CASE("os: opening follows no link, waits for no process, and reports what is missing")
{
	Directory directory;
	const std::string file = directory.put("file", "x");

	CHECK(cprng_os_open_file(directory.number, "none") == -ENOENT);
	CHECK(cprng_os_open_directory((directory.path + "/none").c_str()) == -ENOENT);
	CHECK(cprng_os_open_directory(file.c_str()) == -ENOTDIR);
	REQUIRE(symlink("file", (directory.path + "/link").c_str()) == 0);
	CHECK(cprng_os_open_file(directory.number, "link") == -ELOOP);
	REQUIRE(mkfifo((directory.path + "/fifo").c_str(), 0600) == 0);
	const Descriptor fifo(cprng_os_open_file(directory.number, "fifo"));
}

// Catches a descriptor without close-on-exec.
TEST_CASE("os: no program that is executed inherits a descriptor")
{
	Directory directory;
	const Descriptor created(cprng_os_create_file(directory.number, "file"));
	const Descriptor opened(cprng_os_open_file(directory.number, "file"));

	for (int fd : { directory.number, static_cast<int>(created), static_cast<int>(opened) })
		CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
}

// Catches a missing or wrong field, and a status by name that differs from the open file's status.
TEST_CASE("os: what a name stands for, and what an open file is")
{
	Directory directory;
	const std::string path = directory.put("file", "12345");
	const Descriptor fd(cprng_os_open_file(directory.number, "file"));
	cprng_os_file file;

	const auto describe = [&] { file = described(fd, directory, "file"); };

	describe();
	check_new(file);

	for (mode_t mode : { 0640, 0620, 0610, 0604, 0602, 0601 }) {
		REQUIRE(chmod(path.c_str(), mode) == 0);
		describe();
		CHECK(file.exposed);
	}
	REQUIRE(chmod(path.c_str(), 0400) == 0);
	describe();
	CHECK_FALSE(file.owner_may_write);
	CHECK_FALSE(file.exposed);
	REQUIRE(link(path.c_str(), (directory.path + "/second").c_str()) == 0);
	describe();
	CHECK(file.links == 2);
	CHECK(found(directory, "second").number == file.number);
	if (chown(path.c_str(), 54321, static_cast<gid_t>(-1)) == 0) {
		describe();
		CHECK_FALSE(file.trusted);
	}

	// Another file with that name.
	directory.put("new", "");
	REQUIRE(rename((directory.path + "/new").c_str(), path.c_str()) == 0);
	REQUIRE(cprng_os_describe_file(fd, &file) >= 0);
	CHECK(found(directory, "file").number != file.number);
}

#ifdef __linux__
// Catches another user's file that counts as the process's own because a namespace shows both owners as the same user.
TEST_CASE("os: in a user namespace that maps no user, a file belongs to another one")
{
	Directory directory;
	directory.put("file", "");
	CHECK(found(directory, "file").trusted);
	if (chown((directory.path + "/file").c_str(), 54321, static_cast<gid_t>(-1)) != 0)
		MESSAGE("not root: the file belongs to this process's user instead of another user");
	const pid_t child = fork();

	// 77: this machine has no such namespaces.
	if (child == 0) {
		cprng_os_file file;
		if (unshare(CLONE_NEWUSER) != 0)
			_exit(77);
		_exit(cprng_os_find_file(directory.number, "file", &file) < 0 || file.trusted);
	}
	const int status = machine::status_of(child);
	SKIP_IF(WIFEXITED(status) && WEXITSTATUS(status) == 77, "no user namespaces");
	CHECK(status == 0);
}
#endif

// Catches a link that is followed, and a file of another type that counts as a regular file.
TEST_CASE("os: a link, a directory, a FIFO and a device are no regular files, and a missing one is none")
{
	Directory directory;
	cprng_os_file file;

	directory.put("file", "");
	CHECK(found(directory, "file").regular);
	REQUIRE(symlink("file", (directory.path + "/link").c_str()) == 0);
	CHECK_FALSE(found(directory, "link").regular);
	REQUIRE(mkdir((directory.path + "/directory").c_str(), 0700) == 0);
	CHECK_FALSE(found(directory, "directory").regular);
	REQUIRE(mkfifo((directory.path + "/fifo").c_str(), 0600) == 0);
	CHECK_FALSE(found(directory, "fifo").regular);
	const Descriptor devices(cprng_os_open_directory("/dev"));
	REQUIRE(cprng_os_find_file(devices, "null", &file) >= 0);
	CHECK_FALSE(file.regular);
	CHECK(cprng_os_find_file(directory.number, "none", &file) == -ENOENT);
	CHECK(cprng_os_describe_file(-1, &file) == -EBADF);
}

// Catches a per-process lock, which another opener in the process also gets, and which any close releases.
TEST_CASE("os: a lock excludes other openers, in this process and in others")
{
	Directory directory;
	directory.put("file", "");
	const Descriptor first(cprng_os_open_file(directory.number, "file"));
	const Descriptor second(cprng_os_open_file(directory.number, "file"));
	const auto child_gets = [&](long expected) {
		return holds_in_child(false, [&] {
			const long fd = cprng_os_open_file(directory.number, "file");
			return fd >= 0 && cprng_os_try_lock_file(static_cast<int>(fd)) == expected;
		});
	};

	REQUIRE(cprng_os_try_lock_file(first) == 0);
	CHECK(cprng_os_try_lock_file(second) == -EWOULDBLOCK);
	CHECK(child_gets(-EWOULDBLOCK));
	// Closing another descriptor of the file must not release the lock, as it would release a per-process lock.
	cprng_os_close_file(static_cast<int>(cprng_os_open_file(directory.number, "file")));
	CHECK(cprng_os_try_lock_file(second) == -EWOULDBLOCK);
	CHECK(child_gets(-EWOULDBLOCK));
	cprng_os_unlock_file(first);
	CHECK(child_gets(0));
	CHECK(cprng_os_try_lock_file(second) == 0);
	CHECK(cprng_os_try_lock_file(first) == -EWOULDBLOCK);
}

// Catches an unlock that only closes the descriptor, and a lock that a child cannot keep.
TEST_CASE("os: a child that was forked meanwhile has the lock too, until its parent unlocks")
{
	Directory directory;
	directory.put("file", "");
	const Descriptor other(cprng_os_open_file(directory.number, "file"));
	int end[2];

	for (bool unlocks : { true, false }) {
		const long fd = cprng_os_open_file(directory.number, "file");
		REQUIRE(fd >= 0);
		REQUIRE(cprng_os_try_lock_file(static_cast<int>(fd)) == 0);
		REQUIRE(pipe(end) == 0);
		const pid_t pid = fork();
		if (pid == 0) {
			char byte;
			close(end[1]);
			_exit(read(end[0], &byte, 1) == 0 ? 0 : 1); // waits until the parent closes its end
		}
		if (unlocks)
			cprng_os_unlock_file(static_cast<int>(fd));
		cprng_os_close_file(static_cast<int>(fd));
		CHECK(cprng_os_try_lock_file(other) == (unlocks ? 0 : -EWOULDBLOCK));
		close(end[0]);
		close(end[1]);
		CHECK(machine::ended_well(pid));
		CHECK(cprng_os_try_lock_file(other) == 0);
		cprng_os_unlock_file(other);
	}
}

// Catches a rename that does not replace the file, a removal without effect, and a lost error.
TEST_CASE("os: a file is renamed over another one, and removed")
{
	Directory directory;
	cprng_os_file file;

	directory.put("old", "old");
	directory.put("new", "newer");
	CHECK(cprng_os_rename_file(directory.number, "new", "old") == 0);
	CHECK(found(directory, "old").size == 5);
	CHECK(cprng_os_find_file(directory.number, "new", &file) == -ENOENT);
	CHECK(cprng_os_rename_file(directory.number, "new", "old") == -ENOENT);
	CHECK(found(directory, "old").size == 5);
	CHECK(cprng_os_remove_file(directory.number, "old") == 0);
	CHECK(cprng_os_find_file(directory.number, "old", &file) == -ENOENT);
	CHECK(cprng_os_remove_file(directory.number, "old") == -ENOENT);
}
