# SPDX-License-Identifier: BSD-2-Clause
#
# What `cmake --install` puts where.

include(CMakePackageConfigHelpers)

install(DIRECTORY include/cprng DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS cprng_shared cprng_static EXPORT cprng
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
)
if(CPRNG_COMMAND)
	install(TARGETS cprng_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

foreach(section IN ITEMS 1 3 7)
	install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} FILES_MATCHING PATTERN "*.${section}")
endforeach()

# find_package(cprng): cprng::cprng, cprng::static
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cprng)
install(EXPORT cprng NAMESPACE cprng:: FILE cprng-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/cprng-config.cmake.in cprng-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(cprng-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cprng-config.cmake ${PROJECT_BINARY_DIR}/cprng-config-version.cmake
	DESTINATION ${package_dir})

# pkg-config: written at installation, because only then is the prefix known (cmake --install --prefix).
install(CODE "
	set(PROJECT_VERSION \"${PROJECT_VERSION}\")
	set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
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
