# SPDX-License-Identifier: BSD-2-Clause
"""cprng for Conan 2: the library, without the command and the tests.  `conan create packaging/conan`."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class Cprng(ConanFile):
    name = "cprng"
    license = "BSD-2-Clause"
    description = "Cryptographic random numbers at the speed of the hardware"
    homepage = "https://github.com/cprng/cprng"
    topics = ("random", "csprng", "cryptography")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "../../include/cprng/cprng.h"))
        self.version = ".".join(re.findall(r"#define CPRNG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "../..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "docs/man/*", "include/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Linux alone is tested with Conan")

    def configure(self):
        # C; the C++ header is a thin layer.
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CPRNG_COMMAND"] = False
        toolchain.cache_variables["CPRNG_DROPINS"] = False
        toolchain.cache_variables["CPRNG_TESTS"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        library = os.path.join(self.package_folder, "lib")
        rmdir(self, os.path.join(library, "cmake"))
        rmdir(self, os.path.join(library, "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "share"))
        for file in os.listdir(library):
            if file.endswith(".a") == bool(self.options.shared):
                os.remove(os.path.join(library, file))

    def package_info(self):
        self.cpp_info.libs = ["cprng"]
        self.cpp_info.set_property("cmake_file_name", "cprng")
        self.cpp_info.set_property("cmake_target_name", "cprng::cprng" if self.options.shared else "cprng::static")
        self.cpp_info.set_property("cmake_target_aliases", ["cprng::static" if self.options.shared else "cprng::cprng"])
        self.cpp_info.set_property("pkg_config_name", "cprng")
        if not self.options.shared:
            # A plugin that contains the static library must stay loaded.
            self.cpp_info.sharedlinkflags = ["-Wl,-z,nodelete"]
            self.cpp_info.exelinkflags = ["-Wl,-z,nodelete"]
