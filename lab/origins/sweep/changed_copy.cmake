# SPDX-License-Identifier: BSD-2-Clause

# changed_copy(TO FILE OLD NEW): write FILE to TO with OLD, which must occur once, replaced by NEW; only if it changed.
function(changed_copy to file old new)
	file(READ ${file} text)
	string(FIND "${text}" "${old}" first)
	string(FIND "${text}" "${old}" last REVERSE)
	if(first EQUAL -1 OR NOT first EQUAL last)
		message(FATAL_ERROR "The lab builds the library with other constants (lab/origins/sweep/variants.cmake), and ${file} "
			"does not have this exactly once:\n  ${old}")
	endif()
	string(REPLACE "${old}" "${new}" text "${text}")
	file(WRITE ${to}.new "${text}")
	file(COPY_FILE ${to}.new ${to} ONLY_IF_DIFFERENT)
endfunction()
