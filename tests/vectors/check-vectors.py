#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare every vector of the JSON files beside this script with the models of models.py and lab_models.py.

fortuna.json is left out: make-fortuna.py computes it."""

import json
import pathlib
import sys

import lab_models
import models


def modelled(vector):
    where = (bytes.fromhex(vector["key"]), bytes.fromhex(vector["nonce"]), vector.get("offset", 0), vector["length"])
    if vector["algorithm"] in lab_models.STREAMS:
        return lab_models.keystream(vector["algorithm"], *where)
    return models.keystream(vector["algorithm"], vector["rounds"], *where)


def expected(vector, data):
    if "keystream" in vector:
        return "keystream", data.hex()
    digest = 0
    for i in range(0, len(data), 64):
        digest ^= int.from_bytes(data[i : i + 64], "big")
    return "xor_digest_64", digest.to_bytes(64, "big").hex()


def main():
    checked = wrong = 0
    for path in sorted(pathlib.Path(__file__).parent.glob("*.json")):
        for vector in json.loads(path.read_text(encoding="utf-8")).get("vectors", ()):
            data = modelled(vector)
            field, value = expected(vector, data)
            checked += 1
            if vector[field] != value:
                wrong += 1
                print(f"{path.name}: {vector['comment']}: wrong {field}")
    print(f"{checked} vectors, {wrong} wrong")
    return 1 if wrong or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
