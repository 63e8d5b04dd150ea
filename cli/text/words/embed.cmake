# SPDX-License-Identifier: BSD-2-Clause
#
# cmake -DIN=FILE -DOUT=FILE -P embed.cmake: write the lists of words in a file as C++ constants, with a word on each line.  A
# list begins with a line "=NAME=".

file(READ ${IN} text)
string(REGEX REPLACE "#[^\n]*\n" "" text "${text}")
string(REGEX MATCHALL "=[a-z-]+=" names "${text}")
set(lists)
foreach(name IN LISTS names)
	string(FIND "${text}" "${name}" at)
	string(LENGTH "${name}\n" length)
	math(EXPR at "${at} + ${length}")
	string(SUBSTRING "${text}" ${at} -1 text)
	string(FIND "${text}" "=" end)
	string(SUBSTRING "${text}" 0 ${end} words)
	string(REPLACE " " "\n" words "${words}")
	# Some compilers limit a string literal to 64 KiB.
	string(LENGTH "${words}" length)
	set(pieces)
	set(at 0)
	while(at LESS length)
		string(SUBSTRING "${words}" ${at} 8192 piece)
		string(APPEND pieces "\nR\"words(${piece})words\"")
		math(EXPR at "${at} + 8192")
	endwhile()
	string(REPLACE "=" "\"" name "${name}")
	string(APPEND lists "\n{ ${name},${pieces} },")
endforeach()
file(WRITE ${OUT} "#include \"text/words.hpp\"\nconst word_list builtin_words[] = {${lists}\n};\n")
