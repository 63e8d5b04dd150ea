// SPDX-License-Identifier: BSD-2-Clause
// Work with draws in between, for lab/origins/impact/simulate.  Draws are those of draws.cpp.
//
//     lab-service cache COUNT PLACE    rounds through a full cache of the first level, at one of 64 places; a draw for each
//     lab-service udp COUNT PLACE      packets that a UDP service answers, the table at one of 64 places; a draw for each
//
// COUNT comes after those that are not counted (draws.cpp).
#include <arpa/inet.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "chase.hpp"

extern "C" void lab_impact_next();

namespace {

// The simulated cache has 32 KiB, of which 2 KiB are left for the program: as the measurement by time leaves.
constexpr std::size_t cache_bytes = (32 - 2) * 1024;

void walk(std::uint64_t count, std::size_t place)
{
	lab::impact::chase all(cache_bytes);
	all.move(place);
	for (; count != 0; count--) {
		all.run(all.round());
		lab_impact_next();
	}
}

// A name server in little: a query has a number and a name; the answer has both and a record of the name.  The draw is for what
// such services draw for each packet: an identifier, a cookie, or the rotation of records.
struct query {
	std::uint32_t number, length;
	char name[56];
};

struct answer {
	query asked;
	unsigned char record[64];
};

class service {
public:
	explicit service(std::size_t place) : memory_(sizeof(entry) * (entries + 64))
	{
		const auto begin = (reinterpret_cast<std::uintptr_t>(memory_.data()) + 63) / 64 * 64 + 64 * place;
		table_ = reinterpret_cast<entry *>(begin);
		for (std::uint32_t i = 0; i < names; i++) {
			const query q = named(i);
			entry &e = find(q);
			std::memcpy(e.name, q.name, sizeof(e.name));
			e.used = true;
		}
	}

	static query named(std::uint32_t i)
	{
		query q = {};
		q.number = i;
		q.length = static_cast<std::uint32_t>(std::snprintf(q.name, sizeof(q.name), "host-%u.example.net", i));
		return q;
	}

	void serve(int socket)
	{
		query q;
		sockaddr_in from = {};
		socklen_t size = sizeof(from);
		auto *sender = reinterpret_cast<sockaddr *>(&from);
		if (recvfrom(socket, &q, sizeof(q), 0, sender, &size) != sizeof(q))
			std::exit(1);
		answer a = { q, {} };
		std::memcpy(a.record, find(q).record, sizeof(a.record));
		lab_impact_next();
		if (sendto(socket, &a, sizeof(a), 0, sender, size) != sizeof(a))
			std::exit(1);
	}

	static constexpr std::uint32_t names = 3000;

private:
	static constexpr std::size_t entries = 4096; // 512 KiB

	struct alignas(64) entry {
		char name[56];
		bool used;
		unsigned char record[64];
	};

	// Fowler, Noll, Vo.
	entry &find(const query &q)
	{
		std::uint32_t hash = 2166136261;
		for (std::uint32_t i = 0; i < q.length && i < sizeof(q.name); i++)
			hash = (hash ^ static_cast<unsigned char>(q.name[i])) * 16777619;
		std::size_t at = (hash ^ hash >> 16) % entries;
		while (table_[at].used && std::memcmp(table_[at].name, q.name, sizeof(q.name)) != 0)
			at = (at + 1) % entries;
		return table_[at];
	}

	std::vector<unsigned char> memory_;
	entry *table_;
};

int bound_socket(sockaddr_in *address)
{
	const int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	*address = {};
	address->sin_family = AF_INET;
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	socklen_t size = sizeof(*address);
	auto *any = reinterpret_cast<sockaddr *>(address);
	if (made < 0 || bind(made, any, size) != 0 || getsockname(made, any, &size) != 0)
		std::exit(1);
	return made;
}

// The client asks for names in bursts.  A product of two uniform numbers makes some of them much more frequent than others.
void answer_packets(std::uint64_t count, std::size_t place)
{
	constexpr std::uint64_t burst = 16;
	service server(place);
	sockaddr_in at, ours;
	const int served = bound_socket(&at), client = bound_socket(&ours);
	std::uint32_t chance = 1;
	const auto next = [&chance] { return (chance = chance * 1664525 + 1013904223) >> 16; };
	for (std::uint64_t done = 0; done < count; done += burst) {
		for (std::uint64_t i = 0; i < burst; i++) {
			const query q = service::named((next() * next() >> 16) * service::names >> 16);
			if (sendto(client, &q, sizeof(q), 0, reinterpret_cast<sockaddr *>(&at), sizeof(at)) !=
			    sizeof(q))
				std::exit(1);
		}
		for (std::uint64_t i = 0; i < burst; i++)
			server.serve(served);
		answer a;
		for (std::uint64_t i = 0; i < burst; i++)
			if (recv(client, &a, sizeof(a), 0) != sizeof(a))
				std::exit(1);
	}
	close(served);
	close(client);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	constexpr std::uint64_t not_counted = 512;
	const std::uint64_t count = std::strtoull(argv[2], nullptr, 10) + not_counted;
	const std::size_t place = std::strtoul(argv[3], nullptr, 10) % lab::impact::chase::offsets;
	if (std::strcmp(argv[1], "cache") == 0)
		walk(count, place);
	else if (std::strcmp(argv[1], "udp") == 0)
		answer_packets(count, place);
	else
		return 2;
	return 0;
}
