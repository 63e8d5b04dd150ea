# SPDX-License-Identifier: BSD-2-Clause
#
# cmake -DIN=FILE -DOUT=FILE -P embed.cmake: the text of a file as the C++ source of a constant.

file(READ ${IN} text)
# A string literal may be long, but one of 64 KiB is the most that all compilers take.
string(LENGTH "${text}" length)
set(pieces)
set(at 0)
while(at LESS length)
	string(SUBSTRING "${text}" ${at} 8192 piece)
	string(APPEND pieces "\nR\"words(${piece})words\"")
	math(EXPR at "${at} + 8192")
endwhile()
file(WRITE ${OUT} "#include \"text/words.hpp\"\nconst std::string_view builtin_words =${pieces};\n")
