# SPDX-License-Identifier: BSD-2-Clause
# The addon.  It contains the C library as one file, which gyp/gather.js puts into the package.
{
  "targets": [
    {
      "target_name": "cprng",
      "sources": [
        "c/cprng/cprng.c",
        "native/addon.c",
        "native/block.c",
        "native/calls.c",
        "native/draws.c",
      ],
      "include_dirs": ["c"],
      "defines": ["CPRNG_VISIBILITY=hidden"],
      # -O2 also for `node-gyp --debug`: the library does not compile without optimisation.
      "cflags!": ["-O0", "-O3"],
      "cflags": ["-O2", "-fvisibility=hidden", "-Wall", "-Wextra"],
      "cflags_c": ["-std=gnu11"],
      # The library's pages last until the process ends, so the code must too: a Worker that loads it again finds the pages.
      "ldflags": ["-Wl,-z,nodelete,-z,relro,-z,now"],
      "xcode_settings": {
        "OTHER_CFLAGS": ["-std=gnu11", "-O2", "-fvisibility=hidden"],
      },
      "conditions": [
        ["target_arch in ('x64', 'ia32')", {"cflags": ["-masm=att"]}],  # the sources' assembler syntax
        # Control-flow integrity, as in the library built by CMake.
        ["OS=='linux' and target_arch=='x64'", {"cflags": ["-fcf-protection=full"]}],
        ["OS=='linux' and target_arch=='arm64'", {"cflags": ["-mbranch-protection=standard"]}],
      ],
    },
  ],
}
