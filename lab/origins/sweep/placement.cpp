// SPDX-License-Identifier: BSD-2-Clause
// The placement of the state: the library's buffer and cipher in the lab's placements, the library itself, randp's design.
#include <mutex>

#include "../../common/machine.hpp"
#include "../randp/design.hpp"
#include "../../peers/contenders/source.hpp"
#include "../engines/library_buffer.hpp"
#include "../placements/generators.hpp"
#include "../placements/locked.hpp"
#include "../placements/per_cpu.hpp"
#include "../placements/per_thread.hpp"
#include "sweep.hpp"

namespace lab::sweep {

task draws_of_32_bits(unsigned int threads)
{
	if (threads == 1)
		return { "bits32", "32 bits", { work::bits32 }, 1 };
	return { "bits32_threads", "32 bits,\n" + std::to_string(threads) + " threads", { work::bits32 }, threads };
}

task requests_of(std::size_t bytes, unsigned int threads)
{
	const std::string key = "bytes" + std::to_string(bytes);
	const work w = { work::fill, nullptr, bytes, nullptr, 0 };
	if (threads == 1)
		return { key, size_name(bytes), w, 1 };
	return { key + "_threads", size_name(bytes) + ",\n" + std::to_string(threads) + " threads", w, threads };
}

namespace {

// All threads draw from the same generator.
template <typename Placement> class placed : public source_of_bytes<placed<Placement>> {
public:
	explicit placed(std::shared_ptr<Placement> placement) : placement_(std::move(placement))
	{
	}

	template <typename Number> Number next()
	{
		if constexpr (sizeof(Number) == 4)
			return placement_->next32();
		else
			return number_of_bytes<Number>(*this);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		placement_->fill(out, len);
	}

private:
	std::shared_ptr<Placement> placement_;
};

template <typename Placement> candidate row(const char *label, bool is_default = false)
{
	constexpr std::uint64_t seed = 1;
	const auto placement = std::make_shared<Placement>(seed, no_limit);
	return { label, 0, is_default,
		 [placement] { return std::make_unique<contender_of<placed<Placement>>>(placement); } };
}

std::vector<task> tasks()
{
	const unsigned int threads = 2 * cpus();
	return { draws_of_32_bits(), requests_of(256), draws_of_32_bits(threads), requests_of(256, threads) };
}

} // namespace

plan placement()
{
	plan p = {
		"placement",
		"Where the state is, and what keeps its users apart",
		"placement",
		tasks(),
		{},
		"The library itself is the one that is installed, and the same without restartable sequences.  The others are "
		"its buffer and\ncipher in the lab's placements (lab/origins/placements/), without reseeds.  In several threads: wall "
		"time for each call of all."
	};
	p.candidates.push_back({ "library: per CPU", 0, true, variant("default") });
	p.candidates.push_back({ "library: slots", 0, false, variant("slots") });
	p.candidates.push_back(row<locked<library_buffer, std::mutex>>("one, mutex"));
	p.candidates.push_back(row<locked<library_buffer, spin_lock>>("one, spin lock"));
	p.candidates.push_back(row<per_thread<library_buffer>>("one a thread"));
	p.candidates.push_back(row<per_cpu<library_buffer>>("one a CPU, claimed"));
	return p;
}

plan placement_of_randp()
{
	plan p = { "placement-randp",
		   "randp's design: where the pool is, and what keeps its users apart",
		   "placement",
		   tasks(),
		   {},
		   "As its document compares a mutex with a pool a thread, which is the design." };
#ifdef LAB_HAS_AES
	using engine = aes_weyl<randp_blocks, randp_keys, randp_rounds_per_key>;
	if (randp::available()) {
		p.candidates.push_back(row<per_thread<engine>>("one a thread", true));
		p.candidates.push_back(row<locked<engine, std::mutex>>("one, mutex"));
		p.candidates.push_back(row<per_cpu<engine>>("one a CPU, claimed"));
	}
#endif
	return p;
}

} // namespace lab::sweep
