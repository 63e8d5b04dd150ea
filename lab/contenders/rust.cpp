// SPDX-License-Identifier: BSD-2-Clause
// What Rust programs draw from; lab/contenders/rust/ is the other side.
#include "source.hpp"

#ifdef LAB_RUST
extern "C" {
std::uint8_t lab_rust_next8();
std::uint16_t lab_rust_next16();
std::uint32_t lab_rust_next32();
std::uint64_t lab_rust_next64();
std::uint32_t lab_rust_below(std::uint32_t n);
void lab_rust_fill(unsigned char *out, std::size_t len);
bool lab_rust_aws_lc_fill(unsigned char *out, std::size_t len);
}
#endif

namespace lab {

namespace {

constexpr const char *thread_rng = "rust-threadrng", *thread_rng_is = "rand::rng() of Rust's rand";
constexpr const char *aws_lc = "rust-aws-lc", *aws_lc_is = "aws_lc_rs::rand::fill";

#ifdef LAB_RUST
class rust_thread_rng {
public:
	std::uint8_t next8()
	{
		return lab_rust_next8();
	}

	std::uint16_t next16()
	{
		return lab_rust_next16();
	}

	std::uint32_t next32()
	{
		return lab_rust_next32();
	}

	std::uint64_t next64()
	{
		return lab_rust_next64();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return lab_rust_below(n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		lab_rust_fill(out, len);
	}
};
#endif

#ifdef LAB_RUST_AWS_LC
class rust_aws_lc : public source_of_bytes<rust_aws_lc> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		check(lab_rust_aws_lc_fill(out, len), "aws_lc_rs::rand::fill");
	}
};
#endif

} // namespace

void add_rust(contender_list &all)
{
#ifdef LAB_RUST
	add_contender<rust_thread_rng>(all, thread_rng, thread_rng_is, true);
#else
	add_absent(all, thread_rng, thread_rng_is, true, LAB_RUST_ABSENT);
#endif
#ifdef LAB_RUST_AWS_LC
	add_contender<rust_aws_lc>(all, aws_lc, aws_lc_is, true);
#else
	add_absent(all, aws_lc, aws_lc_is, true, LAB_RUST_AWS_LC_ABSENT);
#endif
}

} // namespace lab
