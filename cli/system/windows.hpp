// SPDX-License-Identifier: BSD-2-Clause
// Helpers of the sources for Windows.
#ifndef CPRNG_CLI_SYSTEM_WINDOWS_HPP
#define CPRNG_CLI_SYSTEM_WINDOWS_HPP

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <string>
#include <string_view>

// UTF-8 as UTF-16, where wrong bytes become U+FFFD, and the reverse.
std::wstring as_utf16(std::string_view text);
std::string as_utf8(std::wstring_view text);

// The errno value of the thread's last error.
int last_error() noexcept;

HANDLE handle_of(int descriptor) noexcept;

// Takes ownership of the handle.  For INVALID_HANDLE_VALUE it sets errno to the last error.
int descriptor_of(HANDLE handle) noexcept;

// Create a file with a new name in the directory, which ends with a separator.  No other process can open it meanwhile.
HANDLE create_temporary(const std::wstring &directory, DWORD access, SECURITY_ATTRIBUTES *security, DWORD attributes);

#endif
