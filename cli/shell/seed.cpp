// SPDX-License-Identifier: BSD-2-Clause
#include "shell/seed.hpp"

#include <string_view>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/quantity.hpp"

namespace {

// The prefix of a seed that is a text although it consists of digits.
constexpr std::string_view text_prefix = "text:";

// Derives its numbers as docs/streams-specification.md defines.
class seeded_source final : public random_source {
public:
	explicit seeded_source(const cprng_stream &stream) : stream_(stream)
	{
	}

	~seeded_source() override
	{
		cprng_stream_wipe(&stream_);
	}

	seeded_source(const seeded_source &) = delete;
	seeded_source &operator=(const seeded_source &) = delete;

	std::uint64_t word(unsigned int bits) override
	{
		switch (bits) {
		case 8:
			return cprng_stream_u8(&stream_);
		case 16:
			return cprng_stream_u16(&stream_);
		case 32:
			return cprng_stream_u32(&stream_);
		default:
			return cprng_stream_u64(&stream_);
		}
	}

	std::uint64_t below(std::uint64_t bound) override
	{
		return cprng_stream_uniform64(&stream_, bound);
	}

	double unit() override
	{
		return cprng_stream_double(&stream_);
	}

	double normal(double mean, double deviation) override
	{
		return cprng_stream_normal(&stream_, mean, deviation);
	}

	double exponential(double mean) override
	{
		return cprng_stream_exponential(&stream_, mean);
	}

	void fill_below(std::uint64_t *out, std::size_t count, std::uint64_t bound) override
	{
		check_library("--seed", cprng_stream_fill_uniform64(&stream_, out, count, bound));
	}

	std::size_t weighted(const cprng_weights &weights) override
	{
		return cprng_stream_weighted(&stream_, &weights);
	}

	void order(std::uint64_t *numbers, std::size_t count) override
	{
		cprng_stream_shuffle(&stream_, numbers, count, sizeof(*numbers));
	}

private:
	cprng_stream stream_;
};

} // namespace

void add_seed_options(command &command, seed_options &options)
{
	command.option("--seed", options.seed, "SEED",
		       "reproducible output: a number or a text (text:007); not for secrets");
	command.option("--stream", options.stream, "NUMBER", "an independent output of the seed for each number");
}

bool has_seed(const seed_options &options)
{
	if (options.stream && !options.seed)
		throw usage_error("--stream needs --seed");
	return options.seed.has_value();
}

cprng_stream open_seed(const seed_options &options, const char *engine)
{
	const std::string &seed = options.seed.value();
	cprng_stream stream;
	const bool is_text = seed.compare(0, text_prefix.size(), text_prefix) == 0;
	const std::string text = is_text ? seed.substr(text_prefix.size()) : seed;
	if (text.empty())
		throw usage_error("--seed: is empty; a number or a text is needed");
	// Libraries of other languages may take negative seeds; do not silently hash one as a text.
	if (!is_text && seed.front() == '-' && all_digits(std::string_view(seed).substr(1)))
		throw usage_error(fmt::format("--seed: {} is negative; text:{} is a text", quote(seed), seed));
	if (!is_text && all_digits(seed))
		check_library("--seed", cprng_stream_seed_integer(&stream, engine, parse_number("--seed", seed)));
	else
		check_library("--seed", cprng_stream_seed_string(&stream, engine, text.c_str()));
	if (options.stream)
		check_library("--seed",
			      cprng_stream_child(&stream, parse_number("--stream", *options.stream), &stream));
	return stream;
}

std::shared_ptr<random_source> choose_source(const seed_options &options)
{
	if (has_seed(options))
		return std::make_shared<seeded_source>(open_seed(options, nullptr));
	return { &system_source(), [](random_source *) {} };
}
