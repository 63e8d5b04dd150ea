// SPDX-License-Identifier: BSD-2-Clause
// The frames that the unwinder finds, the one that runs destructors for exceptions and in cancelled threads.
#ifndef CPRNG_TESTS_UNWINDER_HPP
#define CPRNG_TESTS_UNWINDER_HPP

#include <cstddef>
#include <cstdint>

#include <unwind.h>

namespace unwinder {

// Return addresses, from the caller outwards.
struct Frames {
	std::uintptr_t at[200], last;
	std::size_t number;
};

inline _Unwind_Reason_Code note(struct _Unwind_Context *context, void *argument)
{
	Frames &frames = *static_cast<Frames *>(argument);

	if (frames.number == sizeof(frames.at) / sizeof(frames.at[0]))
		return _URC_END_OF_STACK;
	frames.at[frames.number++] = _Unwind_GetIP(context);
	return frames.at[frames.number - 1] == frames.last ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// The last one is the first that continues there; 0: none does.
inline Frames frames_until(std::uintptr_t last)
{
	Frames frames = { {}, last, 0 };

	_Unwind_Backtrace(note, &frames);
	if (last != 0 && (frames.number == 0 || frames.at[frames.number - 1] != last))
		frames.number = 0;
	return frames;
}

} // namespace unwinder

#endif
