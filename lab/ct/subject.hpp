// SPDX-License-Identifier: BSD-2-Clause
// What is examined for secrets in its timing: each engine of the library on each backend, the lab's engines, and a
// control that has none of their merits.
#ifndef CPRNG_LAB_CT_SUBJECT_HPP
#define CPRNG_LAB_CT_SUBJECT_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lab::ct {

// The largest key of any subject but RC4, whose usual one is shorter.
constexpr std::size_t key_size_max = 32;

// That of the fixed class of the timing test, which the control knows.
extern const unsigned char fixed_key[key_size_max];

using marker = std::function<void(void *data, std::size_t size)>;

// Keys are secret; nonces, positions and lengths are public.
class subject {
public:
	virtual ~subject() = default;

	virtual std::vector<std::size_t> key_sizes() const = 0;
	virtual void set_key(const unsigned char *key, std::size_t size) = 0;

	// Gives the parts of the state that only the holder of the key may know, where they do not follow from the key by
	// computation alone.  (A table whose contents are shuffled by a secret holds no more than public values in the
	// eyes of a tool that follows values and not places.)
	virtual void secrets(const marker &mark) = 0;

	// Gives all of the state that keystream() reads.
	virtual void state(const marker &mark) = 0;

	// Where the keystream begins that the next call of keystream() writes: the n-th of some public places, among them
	// those from which counters carry.
	virtual void set_position(std::size_t n) = 0;
	static constexpr std::size_t positions = 3;

	// As many units as are asked for: blocks of a cipher, bytes of the lab's engines.
	virtual std::size_t unit() const = 0;
	virtual void keystream(unsigned char *out, std::size_t units, bool streaming) = 0;
};

struct entry {
	std::string kind; // library, lab, control
	std::string engine, backend;
	bool usable; // by this CPU, or what valgrind shows of it
	std::size_t state_size;
};

std::vector<entry> list_subjects();

// nullptr when there is none of these names that the CPU can run.
std::unique_ptr<subject> make_subject(std::string_view engine, std::string_view backend);

} // namespace lab::ct

#endif
