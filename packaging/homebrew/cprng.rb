# SPDX-License-Identifier: BSD-2-Clause

# For Homebrew on Linux.  A release inserts its tarball's address, and the checksum of SHA256SUMS.
class Cprng < Formula
  desc "Cryptographic random numbers at the speed of the hardware"
  homepage "https://github.com/cprng/cprng"
  url "https://github.com/cprng/cprng/releases/download/v0.1.0/cprng-0.1.0.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["BSD-2-Clause", "CC-BY-3.0"]

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "fmt" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on :linux
  depends_on "openssl@3"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCPRNG_TESTS=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"cprng", "selftest"
  end
end
