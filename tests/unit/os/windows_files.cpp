// SPDX-License-Identifier: BSD-2-Clause
// The contract of os.h on Windows: files.
#include "../../support/program.hpp"
#include "../../support/skips.hpp"
#include "../../support/windows/support.hpp"
#include "every_system.hpp"

#include <cerrno>
#include <cstring>

using namespace every_system;

namespace {

using windows::Descriptor;
using windows::Directory;

// PROGRAM --lock DIRECTORY: exit status 0 if the lock of the directory's file is free, 1 if it is held.
const bool files_registered = program::add({ [](int argc, char **argv) {
						    if (argc != 3 || std::string(argv[1]) != "--lock")
							    return -1;
						    const long directory = cprng_os_open_directory(argv[2]);
						    const long fd =
							    cprng_os_open_file(static_cast<int>(directory), "file");
						    if (fd < 0)
							    return 2;
						    return cprng_os_try_lock_file(static_cast<int>(fd)) == 0 ? 0 : 1;
					    },
					     nullptr, nullptr, nullptr });

// Gives rights to a file's owner and to other users.
void give(const std::filesystem::path &path, ACCESS_MASK others)
{
	SID_IDENTIFIER_AUTHORITY world = { SECURITY_WORLD_SID_AUTHORITY };
	struct cprng_windows_private mine;
	std::uint32_t list[64];
	auto *const acl = reinterpret_cast<ACL *>(list);
	PSID all = nullptr;

	REQUIRE(cprng_windows_make_private(&mine));
	REQUIRE(AllocateAndInitializeSid(&world, 1, SECURITY_WORLD_RID, 0, 0, 0, 0, 0, 0, 0, &all));
	REQUIRE(InitializeAcl(acl, sizeof(list), ACL_REVISION));
	REQUIRE(AddAccessAllowedAce(acl, ACL_REVISION, FILE_ALL_ACCESS,
				    reinterpret_cast<TOKEN_USER *>(mine.user)->User.Sid));
	if (others != 0)
		REQUIRE(AddAccessAllowedAce(acl, ACL_REVISION, others, all));
	REQUIRE(SetSecurityDescriptorDacl(&mine.descriptor, TRUE, acl, FALSE));
	const HANDLE file = CreateFileW(path.c_str(), WRITE_DAC, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
					nullptr, OPEN_EXISTING, 0, nullptr);
	REQUIRE(file != INVALID_HANDLE_VALUE);
	REQUIRE(SetKernelObjectSecurity(file, DACL_SECURITY_INFORMATION, &mine.descriptor));
	CloseHandle(file);
	FreeSid(all);
}

} // namespace

// Catches an existing file that is opened, access rights for other users, and bytes that are not written or not read back.
TEST_CASE("windows: a new file belongs to its user alone, and was not there before")
{
	Directory directory;
	const Descriptor created(cprng_os_create_file(directory.number, "new"));

	CHECK(cprng_os_create_file(directory.number, "new") == -EEXIST);
	CHECK(cprng_os_create_file(directory.number, "none\\new") == -ENOENT);
	CHECK(cprng_os_write_file(created, "abc", 3) == 3);
	CHECK(cprng_os_sync_file(created) == 0);
	CHECK(cprng_os_sync_file(directory.number) == 0);
	const Descriptor again(cprng_os_open_file(directory.number, "new"));
	char text[8] = {};
	CHECK(cprng_os_read_file(again, text, sizeof(text)) == 3);
	CHECK(std::string(text) == "abc");
	CHECK(cprng_os_read_file(again, text, sizeof(text)) == 0);
	CHECK(cprng_os_write_file(again, "d", 1) == 1);
	const cprng_os_file file = found(directory, "new");
	CHECK(file.size == 4);
	CHECK(file.trusted);
	CHECK_FALSE(file.exposed);
	// No started program may inherit a handle.
	for (int fd : { directory.number, static_cast<int>(created), static_cast<int>(again) }) {
		DWORD flags = HANDLE_FLAG_INHERIT;
		REQUIRE(GetHandleInformation(reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd)), &flags));
		CHECK((flags & HANDLE_FLAG_INHERIT) == 0);
	}
}

// Catches a lost error, and a name that other programs resolve to another file.
TEST_CASE("windows: opening reports what is missing, and refuses names that other programs cannot use")
{
	Directory directory;
	const std::filesystem::path file = directory.put("file", "x");
	cprng_os_file ignored;

	CHECK(cprng_os_open_file(directory.number, "none") == -ENOENT);
	CHECK(cprng_os_open_directory((directory.path / "none").u8string().c_str()) == -ENOENT);
	CHECK(cprng_os_open_directory(file.u8string().c_str()) == -ENOTDIR);
	CHECK(cprng_os_open_directory("\xff") == -EILSEQ);
	CHECK(cprng_os_open_directory(std::string(300, 'x').c_str()) == -ENAMETOOLONG);
	CHECK(cprng_os_create_file(directory.number, std::string(300, 'x').c_str()) == -ENAMETOOLONG);
	for (const char *name : { "", "file.", "file " })
		CHECK(cprng_os_create_file(directory.number, name) == -EINVAL);
	CHECK(cprng_os_describe_file(-1, &ignored) == -EBADF);
	for (const auto &path : { std::pair<const char *, const char *>{ "seed", "seed" },
				  { "a/seed", "seed" },
				  { "a\\b/seed", "seed" },
				  { "a/b\\seed", "seed" },
				  { "C:seed", "seed" },
				  { "a\\", "" },
				  { "", "" } })
		CHECK(std::string(cprng_os_name_in_path(path.first)) == path.second);
}

// Catches names in an encoding other than UTF-8.
TEST_CASE("windows: names are UTF-8")
{
	Directory directory;
	const char *const name = "s\xc3\xa4"
				 "en \xe2\x98\x83 \xf0\x9f\x8c\xb1"; // a snowman, and a seedling beyond 16 bits

	directory.put(name, "x");
	CHECK(GetFileAttributesW((directory.path / L"s\u00e4en \u2603 \xd83c\xdf31").c_str()) !=
	      INVALID_FILE_ATTRIBUTES);
	CHECK(found(directory, name).size == 1);
}

// Catches a link that is followed.
TEST_CASE("windows: a symbolic link is not followed")
{
	Directory directory;

	directory.put("file", "x");
	(void)CreateSymbolicLinkW((directory.path / "link").c_str(), L"file",
				  SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE);
	// wine 8 creates none, but reports success.
	SKIP_IF(GetFileAttributesW((directory.path / "link").c_str()) == INVALID_FILE_ATTRIBUTES,
		"no symbolic links can be made here");
	CHECK_FALSE(found(directory, "link").regular);
	CHECK(cprng_os_open_file(directory.number, "link") == -ELOOP);
	CHECK(cprng_os_create_file(directory.number, "link") == -EEXIST);
}

// Catches a missing or wrong field, and a status by name that differs from the open file's status.
TEST_CASE("windows: what a name stands for, and what an open file is")
{
	Directory directory;
	const std::filesystem::path path = directory.put("file", "12345");
	const Descriptor fd(cprng_os_open_file(directory.number, "file"));
	cprng_os_file file;

	const auto describe = [&] { file = described(fd, directory, "file"); };

	describe();
	check_new(file);
	for (ACCESS_MASK others : { FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_ALL_ACCESS }) {
		give(path, others);
		describe();
		CHECK(file.exposed);
	}
	give(path, 0);
	describe();
	CHECK_FALSE(file.exposed);
	REQUIRE(CreateHardLinkW((directory.path / "second").c_str(), path.c_str(), nullptr));
	describe();
	CHECK(file.links == 2);
	CHECK(found(directory, "second").number == file.number);
	directory.put("other", "");
	CHECK(found(directory, "other").number != file.number);
	REQUIRE(SetFileAttributesW(path.c_str(), FILE_ATTRIBUTE_READONLY));
	describe();
	CHECK_FALSE(file.owner_may_write);
	REQUIRE(SetFileAttributesW(path.c_str(), FILE_ATTRIBUTE_NORMAL));
	REQUIRE(std::filesystem::create_directory(directory.path / "directory"));
	CHECK_FALSE(found(directory, "directory").regular);
}

// Catches a lock that another opener in any process also gets, that another handle's close releases, or that keeps readers out.
TEST_CASE("windows: a lock excludes other openers, in this process and in others, and no reader")
{
	Directory directory;
	directory.put("file", "abc");
	const Descriptor first(cprng_os_open_file(directory.number, "file"));
	const Descriptor second(cprng_os_open_file(directory.number, "file"));
	const auto other_process = [&] {
		return windows::run_again("--lock \"" + directory.path.u8string() + "\"").status;
	};

	CHECK(other_process() == 0);
	REQUIRE(cprng_os_try_lock_file(first) == 0);
	CHECK(cprng_os_try_lock_file(second) == -EWOULDBLOCK);
	CHECK(other_process() == 1);
	cprng_os_close_file(static_cast<int>(cprng_os_open_file(directory.number, "file")));
	CHECK(cprng_os_try_lock_file(second) == -EWOULDBLOCK);
	CHECK(directory.content("file") == "abc");
	// wine lets other openers read locked bytes, so take another lock to check that no byte of the file is locked.
	OVERLAPPED begin = {};
	CHECK(LockFileEx(second.handle(), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 4096, 0, &begin));
	CHECK(UnlockFileEx(second.handle(), 0, 4096, 0, &begin));
	cprng_os_unlock_file(first);
	CHECK(other_process() == 0);
	CHECK(cprng_os_try_lock_file(second) == 0);
	CHECK(cprng_os_try_lock_file(first) == -EWOULDBLOCK);
}

namespace {

// The file system's answers to a rename of the newer kind, then of the older kind.
NTSTATUS newer_answer;
int newer_renames, older_renames, fails_at;

NTSTATUS NTAPI set_information(HANDLE file, IO_STATUS_BLOCK *status, void *information, ULONG len, int what)
{
	constexpr int rename = 10, rename_ex = 65;

	if (what == rename_ex) {
		newer_renames++;
		if (newer_answer != 0)
			return newer_answer;
		// wine 8 has only the older kind.
		what = rename;
	} else if (++older_renames == fails_at) {
		return static_cast<NTSTATUS>(0xc000007f); // the disk is full
	}
	return __real_cprng_windows_calls()->set_information(file, status, information, len, what);
}

constexpr NTSTATUS no_such_class = static_cast<NTSTATUS>(0xc0000003);

} // namespace

// Catches a rename that does not replace an open file, with or without Windows 10's semantics, or that leaves behind or loses
// another file.
TEST_CASE("windows: a file is renamed over another one, which may be open")
{
	Directory directory;
	windows::Calls calls;
	cprng_os_file file;

	calls.set_information = set_information;
	fails_at = 0;
	directory.put("old", "old");
	directory.put("new", "newer");
	newer_answer = 0;
	newer_renames = older_renames = 0;
	CHECK(cprng_os_rename_file(directory.number, "new", "old") == 0);
	CHECK(newer_renames == 1);
	CHECK(older_renames == 0);
	CHECK(directory.content("old") == "newer");
	CHECK(cprng_os_find_file(directory.number, "new", &file) == -ENOENT);
	CHECK(cprng_os_rename_file(directory.number, "new", "old") == -ENOENT);

	newer_answer = no_such_class;
	directory.put("new", "newest");
	{
		const Descriptor open(cprng_os_open_file(directory.number, "old"));
		CHECK(cprng_os_rename_file(directory.number, "new", "old") == 0);
		CHECK(directory.content("old") == "newest");
		CHECK(older_renames >= 1);
	}
	CHECK(directory.files() == 1);
	CHECK(cprng_os_rename_file(directory.number, "old", "another") == 0);
	CHECK(directory.content("another") == "newest");

	// The last of three renames fails: the open file has its name again.
	directory.put("new", "never");
	const Descriptor open(cprng_os_open_file(directory.number, "another"));
	older_renames = 0;
	fails_at = 3;
	CHECK(cprng_os_rename_file(directory.number, "new", "another") == -ENOSPC);
	CHECK(directory.content("another") == "newest");
	CHECK(directory.content("new") == "never");
	CHECK(cprng_os_remove_file(directory.number, "new") == 0);
	CHECK(cprng_os_remove_file(directory.number, "new") == -ENOENT);
}
