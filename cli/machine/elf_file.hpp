// SPDX-License-Identifier: BSD-2-Clause
// What `cprng run` asks about the file that it starts: an ELF file of 64 bits in the byte order of this machine.
#ifndef CPRNG_CLI_MACHINE_ELF_FILE_HPP
#define CPRNG_CLI_MACHINE_ELF_FILE_HPP

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include <elf.h>

// Zeros behind the end of the file.
Elf64_Ehdr elf_head(std::istream &file);

// The name of the dynamic linker; empty in a static program.
std::string elf_dynamic_linker(std::istream &file, const Elf64_Ehdr &head);

// The names of the libraries that it is linked with.
std::vector<std::string> elf_libraries(std::istream &file, const Elf64_Ehdr &head);

#endif
