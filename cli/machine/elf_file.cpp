// SPDX-License-Identifier: BSD-2-Clause
#include "machine/elf_file.hpp"

#include <limits.h>

namespace {

// Reads zeros beyond the end of the file.
template <typename T> T read_at(std::istream &file, std::uint64_t offset)
{
	T value{};
	file.clear();
	file.seekg(static_cast<std::streamoff>(offset));
	file.read(reinterpret_cast<char *>(&value), sizeof(value));
	file.clear();
	return value;
}

std::string text_at(std::istream &file, std::uint64_t offset)
{
	std::string text;
	file.clear();
	file.seekg(static_cast<std::streamoff>(offset));
	for (int c; text.size() < PATH_MAX && (c = file.get()) > 0;)
		text += static_cast<char>(c);
	file.clear();
	return text;
}

std::vector<Elf64_Phdr> segments(std::istream &file, const Elf64_Ehdr &head)
{
	std::vector<Elf64_Phdr> all;
	for (unsigned int i = 0; i < head.e_phnum; i++)
		all.push_back(read_at<Elf64_Phdr>(file, head.e_phoff + i * sizeof(Elf64_Phdr)));
	return all;
}

} // namespace

Elf64_Ehdr elf_head(std::istream &file)
{
	return read_at<Elf64_Ehdr>(file, 0);
}

std::string elf_dynamic_linker(std::istream &file, const Elf64_Ehdr &head)
{
	for (const Elf64_Phdr &segment : segments(file, head))
		if (segment.p_type == PT_INTERP)
			return text_at(file, segment.p_offset);
	return "";
}

std::vector<std::string> elf_libraries(std::istream &file, const Elf64_Ehdr &head)
{
	const std::vector<Elf64_Phdr> all = segments(file, head);
	std::vector<std::uint64_t> names;
	std::uint64_t table = 0;
	for (const Elf64_Phdr &segment : all) {
		if (segment.p_type != PT_DYNAMIC)
			continue;
		for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
			const auto entry = read_at<Elf64_Dyn>(file, segment.p_offset + at);
			if (entry.d_tag == DT_NULL)
				break;
			if (entry.d_tag == DT_NEEDED)
				names.push_back(entry.d_un.d_val);
			else if (entry.d_tag == DT_STRTAB)
				table = entry.d_un.d_ptr;
		}
	}
	std::vector<std::string> libraries;
	// The table's address lies in one of the file's segments.
	for (const Elf64_Phdr &segment : all)
		if (segment.p_type == PT_LOAD && table >= segment.p_vaddr && table - segment.p_vaddr < segment.p_filesz)
			for (std::uint64_t name : names)
				libraries.push_back(text_at(file, segment.p_offset + (table - segment.p_vaddr) + name));
	return libraries;
}
