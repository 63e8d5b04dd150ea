# SPDX-License-Identifier: BSD-2-Clause
#
# In a checkout: nix run ./packaging/nix -- hex 32
{
  description = "Cryptographic random numbers at the speed of the hardware";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      each = nixpkgs.lib.genAttrs [ "x86_64-linux" "aarch64-linux" ];
    in
    {
      packages = each (system: {
        default = nixpkgs.legacyPackages.${system}.callPackage ./package.nix { };
      });
    };
}
