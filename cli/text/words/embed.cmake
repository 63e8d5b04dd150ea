# SPDX-License-Identifier: BSD-2-Clause
#
# cmake -DIN=FILE -DOUT=FILE -P embed.cmake: write a file's text as a C++ constant.

file(READ ${IN} text)
# Some compilers limit a string literal to 64 KiB.
string(LENGTH "${text}" length)
set(pieces)
set(at 0)
while(at LESS length)
	string(SUBSTRING "${text}" ${at} 8192 piece)
	string(APPEND pieces "\nR\"words(${piece})words\"")
	math(EXPR at "${at} + 8192")
endwhile()
file(WRITE ${OUT} "#include \"text/words.hpp\"\nconst std::string_view builtin_words =${pieces};\n")
