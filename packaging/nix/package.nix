# SPDX-License-Identifier: BSD-2-Clause
{ lib, stdenv, cmake, ninja, cli11, fmt, nlohmann_json, openssl }:

stdenv.mkDerivation {
  pname = "cprng";
  version = "0.1.0";
  src = ../..;

  nativeBuildInputs = [ cmake ninja ];
  buildInputs = [ cli11 fmt nlohmann_json openssl ];
  cmakeFlags = [ "-DCPRNG_TESTS=OFF" ];

  doInstallCheck = true;
  installCheckPhase = "$out/bin/cprng selftest";

  meta = {
    description = "Cryptographic random numbers at the speed of the hardware";
    homepage = "https://github.com/cprng/cprng";
    license = with lib.licenses; [ bsd2 cc-by-30 ];
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "cprng";
  };
}
