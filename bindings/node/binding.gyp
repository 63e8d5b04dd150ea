# SPDX-License-Identifier: BSD-2-Clause
# The addon, which contains the C library.  gyp/gather.js puts c/ into the package; its sources.gypi is made from
# src/sources.cmake, the only list of the library's sources.
{
  "includes": ["c/sources.gypi"],
  "targets": [
    {
      "target_name": "cprng",
      "sources": [
        "native/addon.c",
        "native/block.c",
        "native/draws.c",
        "native/stream.c",
      ],
      "include_dirs": ["c/include", "c/src"],
      "defines": ["CPRNG_VISIBILITY=hidden"],
      # -O2 also for `node-gyp --debug`: without optimisation keys are stored on the stack, where nothing erases them.
      "cflags!": ["-O0", "-O3"],
      # Products and sums are rounded separately, or streams would differ between machines.  No lazy binding, whose
      # first call saves registers, including served bytes, on the stack.
      "cflags": ["-O2", "-fvisibility=hidden", "-ffp-contract=off", "-fno-plt", "-Wall", "-Wextra"],
      "cflags_c": ["-std=gnu11"],
      # The library's pages last until the process ends, so its code must too: a Worker that loads it again finds them.
      "ldflags": ["-Wl,-z,nodelete,-z,relro,-z,now"],
      "xcode_settings": {
        "OTHER_CFLAGS": ["-std=gnu11", "-O2", "-fvisibility=hidden", "-ffp-contract=off"],
      },
      "conditions": [
        ["target_arch in ('x64', 'ia32')", {"cflags": ["-masm=att"]}],  # the dialect of the sources
        # Indirect branches go where they were meant to, as in the library of CMake.
        ["OS=='linux' and target_arch=='x64'", {"cflags": ["-fcf-protection=full"]}],
        ["OS=='linux' and target_arch=='arm64'", {"cflags": ["-mbranch-protection=standard"]}],
        ["OS=='linux' and target_arch=='x64'", {"sources": ["<@(cprng_linux_x86_64)"]}],
        ["OS=='linux' and target_arch=='arm64'", {"sources": ["<@(cprng_linux_aarch64)"]}],
        ["OS=='linux' and target_arch not in ('x64', 'arm64')", {"sources": ["<@(cprng_linux_generic)"]}],
        ["OS!='linux' and target_arch=='x64'", {"sources": ["<@(cprng_posix_x86_64)"]}],
        ["OS!='linux' and target_arch=='arm64'", {"sources": ["<@(cprng_posix_aarch64)"]}],
        ["OS!='linux' and target_arch not in ('x64', 'arm64')", {"sources": ["<@(cprng_posix_generic)"]}],
      ],
    },
  ],
}
