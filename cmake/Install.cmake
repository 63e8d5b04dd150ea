# SPDX-License-Identifier: BSD-2-Clause
#
# The files and places of `cmake --install`.

include(CMakePackageConfigHelpers)

install(DIRECTORY include/cprng DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.cppm")
install(TARGETS cprng_shared cprng_static EXPORT cprng
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
)
if(CPRNG_COMMAND)
	install(TARGETS cprng_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Section 1 has the command's pages.
set(sections 3 7)
if(CPRNG_COMMAND)
	list(APPEND sections 1)
endif()
foreach(section IN LISTS sections)
	install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} FILES_MATCHING PATTERN "*.${section}")
endforeach()

# Further functions that a page of section 3 describes, by the names at its beginning, get a one-line page that refers to it.
set(links ${PROJECT_BINARY_DIR}/man3)
file(REMOVE_RECURSE ${links})
file(GLOB pages CONFIGURE_DEPENDS docs/man/*.3)
foreach(page IN LISTS pages)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
	file(READ ${page} text)
	string(REGEX REPLACE ".*\n\\.Sh NAME\n(.*)\n\\.Nd .*" "\\1" names "${text}")
	string(REGEX MATCHALL "cprng_[a-z0-9_]+" names "${names}")
	get_filename_component(page ${page} NAME)
	foreach(name IN LISTS names)
		if(NOT page STREQUAL "${name}.3")
			file(WRITE ${links}/${name}.3 ".so man3/${page}\n")
		endif()
	endforeach()
endforeach()
install(DIRECTORY ${links}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)

# find_package(cprng): cprng::cprng, cprng::static
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cprng)
install(EXPORT cprng NAMESPACE cprng:: FILE cprng-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/cprng-config.cmake.in cprng-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(cprng-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cprng-config.cmake ${PROJECT_BINARY_DIR}/cprng-config-version.cmake
	DESTINATION ${package_dir})

# pkg-config's file is written at installation, because the prefix is known only then (cmake --install --prefix).
install(CODE "
	set(PROJECT_VERSION \"${PROJECT_VERSION}\")
	set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
	set(PROJECT_HOMEPAGE_URL \"${PROJECT_HOMEPAGE_URL}\")
	set(CMAKE_THREAD_LIBS_INIT \"${CMAKE_THREAD_LIBS_INIT}\")
	set(libdir \"${CMAKE_INSTALL_LIBDIR}\")
	set(includedir \"${CMAKE_INSTALL_INCLUDEDIR}\")
	foreach(dir IN ITEMS libdir includedir)
		if(NOT IS_ABSOLUTE \"\${\${dir}}\")
			set(\${dir} \"\\\${prefix}/\${\${dir}}\")
		endif()
	endforeach()
	configure_file(\"${PROJECT_SOURCE_DIR}/cmake/cprng.pc.in\" \"${PROJECT_BINARY_DIR}/cprng.pc\" @ONLY)
")
install(FILES ${PROJECT_BINARY_DIR}/cprng.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
