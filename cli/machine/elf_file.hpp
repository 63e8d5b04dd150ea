// SPDX-License-Identifier: BSD-2-Clause
// The parts of an ELF file that `cprng run` reads: a 64-bit file in this machine's byte order.
#ifndef CPRNG_CLI_MACHINE_ELF_FILE_HPP
#define CPRNG_CLI_MACHINE_ELF_FILE_HPP

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include <elf.h>

// The ELF header; zeros beyond the end of the file.
Elf64_Ehdr elf_head(std::istream &file);

// The dynamic linker's name; empty for a static program.
std::string elf_dynamic_linker(std::istream &file, const Elf64_Ehdr &head);

// The names of the libraries that the file is linked with.
std::vector<std::string> elf_libraries(std::istream &file, const Elf64_Ehdr &head);

#endif
