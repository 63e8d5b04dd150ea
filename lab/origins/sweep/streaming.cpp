// SPDX-License-Identifier: BSD-2-Clause
// The least size of requests that use non-temporal stores.
#include <cstring>

#include <cprng/cprng.h>

#include "../../common/bare_loop.hpp"
#include "../../peers/contenders/source.hpp"
#include "sweep.hpp"

namespace lab::sweep {

namespace {

// The library's cipher writes and the caller reads: non-temporal stores are faster, but the reader must fetch the data.
class written_and_read : public source_of_bytes<written_and_read> {
public:
	written_and_read(const char *engine, std::uint64_t threshold) : loop_(engine), threshold_(threshold)
	{
	}

	void fill(unsigned char *out, std::size_t len)
	{
		loop_(out, len, len >= threshold_ ? CPRNG_STREAMING : 0);
		std::uint64_t sum = 0;
		for (std::size_t at = 0; at + sizeof(sum) <= len; at += sizeof(sum)) {
			std::uint64_t word;
			std::memcpy(&word, out + at, sizeof(word));
			sum ^= word;
		}
		__asm__ volatile("" : : "r"(sum));
	}

private:
	bare_loop loop_;
	std::uint64_t threshold_;
};

constexpr std::uint64_t kib = 1024, mib = 1024 * kib, never = UINT64_MAX;

} // namespace

plan streaming()
{
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	plan p = {
		"streaming",
		"Bytes from which a request is stored past the caches",
		"threshold",
		{ requests_of(256 * kib), requests_of(mib), requests_of(4 * mib), requests_of(16 * mib),
		  requests_of(64 * mib) },
		{},
		"The library's cipher loop with and without its flag for streaming stores, then all of it read once by the same "
		"thread.\nWhat the rest of the program loses from its caches is not in it: `impact` measures that."
	};
	for (const std::uint64_t threshold : { 128 * kib, 512 * kib, mib, 2 * mib, 8 * mib, 32 * mib, never })
		p.candidates.push_back(
			{ threshold == never ? "never" : size_name(threshold), threshold == never ? 0 : threshold,
			  threshold == CPRNG_STREAMING_MIN, [engine = info.engine, threshold] {
				  return std::make_unique<contender_of<written_and_read>>(engine, threshold);
			  } });
	return p;
}

} // namespace lab::sweep
