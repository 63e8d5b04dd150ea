# SPDX-License-Identifier: BSD-2-Clause
"""password and phrase: alphabets, lengths, the displayed entropy."""

import itertools
import json
import math
import os
import pathlib
import re
import resource
import string
import unicodedata

import pytest

from command import EMULATOR, ROOT, good, limit, refused, run

ALPHABETS = {
    "alnum": string.ascii_letters + string.digits, "alpha": string.ascii_letters, "lower": string.ascii_lowercase,
    "upper": string.ascii_uppercase, "digits": string.digits, "hex": "0123456789abcdef",
    "graph": string.ascii_letters + string.digits + string.punctuation,
    "clear": "ACDEFGHJKLMNPQRTUVWXYabcdefghijkmnpqrstuvwxyz34679",
    "safe": string.ascii_letters + string.digits + "-_.",
}  # fmt: skip


def entropy(*arguments):
    """The text of -v, which --json also has."""
    result = run(*arguments, "-v")
    assert result.returncode == 0
    shown = float(re.fullmatch(r"cprng: \d+ (?:characters|words) of \d+: ([0-9.]+) bits of entropy.*\n", result.stderr.decode())[1])
    found = json.loads(good(*arguments, "--json"))["entropy_bits"]
    assert abs(found - shown) <= 0.1
    return found


def test_default():
    """Catches a shorter password, or a weaker alphabet, without --bits."""
    text = good("password").decode()
    assert re.fullmatch(r"[A-Za-z0-9]{20}\n", text)
    assert len({good("password") for _ in range(5)}) == 5
    assert abs(entropy("password") - 20 * math.log2(62)) < 0.01


@pytest.mark.parametrize("name", ALPHABETS)
def test_alphabet(name):
    """Catches a character that never comes, or one from another alphabet.

    A character is missed in 30,000 with probability below 94 * (93/94)^30000 < 10^-137.
    """
    found = "".join(good("password", 3000, "--alphabet", name, "-n", 10).decode().split("\n"))
    assert len(found) == 30_000
    assert set(found) == set(ALPHABETS[name])
    first = len(ALPHABETS[name]) - (name == "safe")
    assert abs(entropy("password", 10, "--alphabet", name) - math.log2(first) - 9 * math.log2(len(ALPHABETS[name]))) < 0.01


def test_safe_is_no_option():
    """Catches a password that looks like an option, and a first character that never comes."""
    found = good("password", "--length", 2, "--alphabet", "safe", "-n", 20_000).decode().split()
    assert {text[0] for text in found} == set(ALPHABETS["safe"]) - {"-"} and {text[1] for text in found} == set(ALPHABETS["safe"])
    assert len(found) == 20_000


def test_characters():
    """Catches a lost character of the user's alphabet."""
    assert set(good("password", 1000, "--characters", "xy z").decode()[:-1]) == set("xy z")
    for arguments in [["--bits", 10], [3, "--json"], ["-n", 0]]:
        refused(run("password", "--characters", "-", *arguments), 2, "--characters", "no entropy")
    assert json.loads(good("password", 5, "--characters", "\"\\", "--json"))["alphabet"] == "\"\\"


def test_characters_beyond_ascii():
    """Catches half a character, a length or an entropy in bytes, and a character that never comes."""
    letters = "a\u00e9\u4e2d\U0001f40e\u0416\""
    found = json.loads(good("password", 200, "--characters", letters, "-n", 3, "--json"))
    assert found["length"] == 200 and found["alphabet"] == letters and abs(found["entropy_bits"] - 200 * math.log2(6)) < 0.01
    # One is missed in 200 with probability below 6 * (5/6)^200 < 10^-14.
    assert all(len(text) == 200 and set(text) == set(letters) for text in found["passwords"])
    assert {good("password", 1, "--characters", letters).decode()[:-1] for _ in range(20)} <= set(letters)
    # All letters of more than a byte's values.
    many = "".join(map(chr, range(0x4e00, 0x4f00))) + "a1"
    found = good("password", 4096, "--characters", many, "--at-least", "lower=1,digits=1,others=9").decode()[:-1]
    assert len(found) == 4096 and set(found) <= set(many) and len(set(found)) > 200 and {"a", "1"} <= set(found)
    assert len(good("password", "--bits", 128, "--characters", letters).decode()[:-1]) == math.ceil(128 / math.log2(6))


def test_characters_with_other_forms():
    """Catches a character that NFC replaces, combines or moves: two passwords would be one, and the entropy is too high."""
    forms = [c for c in map(chr, range(0x110000)) if unicodedata.normalize("NFC", c) != c or unicodedata.combining(c)]
    for c in [";\u037e", "\u0e38\u0e48", "\u0627\u0653", *forms[:: len(forms) // 50]]:
        refused(run("password", 5, "--characters", f"ab{c}"), 2, "--characters", "has another form")


@pytest.mark.parametrize("rule, least", [("digits=2", {"digits": 2}), ("upper=1,others=3", {"upper": 1, "others": 3}), ("lower=1,upper=1,digits=1,others=1", {}),
                                         ("digits=9", {"digits": 9})])  # fmt: skip
def test_at_least(rule, least):
    """Catches a password that breaks the rule, and a password of --bits that is longer than necessary or too weak."""
    classes = {"lower": string.ascii_lowercase, "upper": string.ascii_uppercase, "digits": string.digits, "others": string.punctuation}
    least = least or dict.fromkeys(classes, 1)
    # Nine digits take up to 2^20 tries: 200 passwords take half a minute of CPU, and without buffers minutes.
    passwords = 20 if rule == "digits=9" and not os.environ.get("CPRNG_TEST_LARGE") else 200
    for arguments in [[20], ["--bits", 64]]:
        for text in good("password", *arguments, "--alphabet", "graph", "--at-least", rule, "-n", passwords).decode().splitlines():
            assert all(sum(c in classes[name] for c in text) >= count for name, count in least.items())
    # --each and --at-least together: the greater number of each class.
    for text in good("password", 9, "--alphabet", "graph", "--each", "--at-least", "others=3", "-n", 200).decode().splitlines():
        assert all(sum(c in letters for c in text) >= (3 if name == "others" else 1) for name, letters in classes.items())
    assert entropy("password", "--bits", 64, "--alphabet", "graph", "--at-least", rule) >= 64


def test_entropy_of_at_least():
    """Catches an entropy that counts passwords which are never printed: by enumeration of classes."""
    for length, rule, digits, capitals in [(5, "digits=2", 2, 0), (6, "digits=3,upper=2", 3, 2), (20, "digits=2", 2, 0)]:
        count = sum(math.comb(length, d) * math.comb(length - d, u) * 10**d * 26**u * 26 ** (length - d - u)
                    for d in range(digits, length + 1) for u in range(capitals, length - d + 1))  # fmt: skip
        assert abs(entropy("password", length, "--at-least", rule) - math.log2(count)) < 0.01


def test_each_class():
    """Catches a password that lacks a class."""
    for text in good("password", 4, "--alphabet", "graph", "--each", "-n", 2000).decode().splitlines():
        assert len(text) == 4
        for letters in [string.ascii_lowercase, string.ascii_uppercase, string.digits, string.punctuation]:
            assert set(text) & set(letters)


@pytest.mark.parametrize("characters, length", [("abX1", 3), ("abcXY12-", 4), ("abcXY12-", 5), ("a1", 6), ("abc", 2)])
def test_entropy_of_each_class(characters, length):
    """Catches an entropy that counts passwords which are never printed, by enumeration."""
    classes = [set(letters) & set(characters) for letters in
               [string.ascii_lowercase, string.ascii_uppercase, string.digits, string.punctuation]]
    count = sum(all(not letters or letters & set(text) for letters in classes)
                for text in itertools.product(characters, repeat=length))
    assert abs(entropy("password", length, "--characters", characters, "--each") - math.log2(count)) < 0.01


@pytest.mark.parametrize("bits", [1, 64, 128, 1024])
@pytest.mark.parametrize("name", ["digits", "alnum", "graph"])
def test_bits(bits, name):
    """Catches a password with fewer bits than requested, and one longer than necessary."""
    length = math.ceil(bits / math.log2(len(ALPHABETS[name])))
    assert len(good("password", "--bits", bits, "--alphabet", name)) - 1 == length
    assert entropy("password", "--bits", bits, "--alphabet", name) >= bits


@pytest.mark.parametrize("name, least", [("digits", 1), ("alpha", 2), ("alnum", 3), ("graph", 4)])
def test_bits_of_each_class(name, least):
    """Catches a password of --bits and --each that is too short for all classes, or has too few bits."""
    assert len(good("password", "--bits", 1, "--alphabet", name, "--each")) - 1 == least
    assert entropy("password", "--bits", 70, "--alphabet", name, "--each") >= 70


def test_json():
    """Catches a missing or renamed member of the object."""
    found = json.loads(good("password", 8, "-n", 3, "--json"))
    assert list(found) == ["entropy_bits", "length", "alphabet", "passwords"]
    assert found["length"] == 8 and len(found["passwords"]) == 3 and set(found["alphabet"]) == set(ALPHABETS["alnum"])
    found = json.loads(good("phrase", 4, "-n", 2, "--json"))
    assert list(found) == ["entropy_bits", "words", "list", "phrases"]
    assert found["words"] == 4 and found["list"] == 7775
    assert [len(phrase.split()) for phrase in found["phrases"]] == [4, 4]


def test_json_of_odd_characters(tmp_path):
    """Catches a secret that differs in JSON: quotes, backslashes, control characters, letters beyond ASCII."""
    found = json.loads(good("password", 500, "--characters", "\"\\a", "--json", "-n", 2))["passwords"]
    assert [len(password) for password in found] == [500, 500] and set("".join(found)) == set("\"\\a")
    file = tmp_path / "list"
    words = ["\"", "\\n", "x", "\u00e9\U0001f40e", "w/"]
    file.write_text("".join(f"{word}\n" for word in words))
    # Each word is missed with probability 0.8^200 < 10^-19.
    found = json.loads(good("phrase", 200, "--list", file, "--separator", "\t\x01\\:", "--json"))["phrases"][0].split("\t\x01\\:")
    assert len(found) == 200 and set(found) == set(words)
    assert json.loads(good("phrase", "--list", file, "--json", "-n", 0))["phrases"] == []
    file.write_bytes(b"a\nb\xff\n")
    refused(run("phrase", "--list", file, "--json"), 1, "--list", "UTF-8")


def test_many_in_json():
    """Catches a secret that is lost, duplicated or truncated at the buffer's end, among a megabyte of them."""
    found = json.loads(good("password", 50, "-n", 20_000, "--json"))["passwords"]
    assert len(set(found)) == 20_000 and all(re.fullmatch("[A-Za-z0-9]{50}", password) for password in found)


def test_weak_ones_are_named():
    """Catches a weak password without a warning."""
    assert b"weak" in run("password", 4, "-v").stderr
    assert b"weak" not in run("password", 20, "-v").stderr


# ------------------------------------------------------------------------------------------------------------- phrases


def builtin(name="eff-long"):
    text = (ROOT / "cli" / "text" / "words" / "eff.txt").read_text()
    return re.search(rf"(?m)^={name}=\n([^=]*)", text)[1].split()


def test_phrase():
    """Catches a word not in the list, or one that never comes."""
    words = set(builtin())
    assert len(words) == 7775 and "yoyo" in words
    assert not [word for word in words if "-" in word and word.replace("-", "") in words]
    for text in good("phrase", "-n", 200).decode().splitlines():
        assert len(text.split(" ")) == 6 and set(text.split(" ")) <= words
    assert abs(entropy("phrase") - 6 * math.log2(7775)) < 0.01
    found = good("phrase", 256, "-n", 500).decode().split()
    # 128,000 words: all 7775 words of the list come, with 5 * 10^-4 expected to be missing.
    assert len(set(found)) >= 7770


@pytest.mark.parametrize("name, size", [("eff-short", 1295), ("eff-prefix", 1296), ("eff-long", 7775)])
def test_named_list(name, size, tmp_path):
    """Catches a word of another list, a list of another size, and a file of that name that is taken for the list or the reverse."""
    words = set(builtin(name))
    assert len(words) == size == json.loads(good("phrase", "--list", name, "--json"))["list"]
    found = good("phrase", 256, "--list", name, "-n", 50).decode().split()
    # 12,800 of 1296 words: 0.07 are expected to be missing.
    assert set(found) <= words and len(set(found)) >= min(size - 5, 5000)
    assert abs(entropy("phrase", "--list", name) - 6 * math.log2(size)) < 0.01
    (tmp_path / name).write_text("one\ntwo\n")
    assert set(good("phrase", "--list", name, cwd=tmp_path).decode().split()) <= words
    assert set(good("phrase", "--list", f"./{name}", cwd=tmp_path).decode().split()) <= {"one", "two"}
    assert name != "eff-short" or max(map(len, words)) == 5
    assert name != "eff-prefix" or len({word[:3] for word in words}) == size


def test_phrase_form():
    """Catches a lost separator or capital, and too few words."""
    assert re.fullmatch(r"[A-Z][a-z-]+(\.[A-Z][a-z-]+){4}\n", good("phrase", 5, "--separator", ".", "--capitals").decode())
    assert re.fullmatch(r"[A-Z][a-z-]+([A-Z][a-z-]+){2}\n", good("phrase", 3, "--separator", "", "--capitals").decode())
    assert len(good("phrase", "--bits", 128).split()) == 10


def test_other_list(tmp_path):
    """Catches a list with wrong words, and ambiguous phrases."""
    file = tmp_path / "list"
    file.write_text("# a list\n11\tone\n12\ttwo\n13\tthree\n")
    found = good("phrase", 100, "--list", file).decode().split()
    assert set(found) == {"one", "two", "three"}
    assert abs(entropy("phrase", 100, "--list", file) - 100 * math.log2(3)) < 0.01
    file.write_text("in\nside\ninside\n")
    refused(run("phrase", "--list", file, "--separator", ""), 2, "--separator", "''")
    good("phrase", "--list", file)
    file.write_text("one\none\n")
    refused(run("phrase", "--list", file), 1, "list'", "'one' comes twice")
    file.write_text("\n#\n")
    refused(run("phrase", "--list", file), 1, "list'", "no word")
    file.write_text("alone\n")
    for arguments in [["--bits", 10], [3, "--json"], ["-n", 0]]:
        refused(run("phrase", "--list", file, *arguments), 2, "--list", "no entropy")
    refused(run("phrase", "--list", tmp_path / "missing"), 1, "missing'")
    refused(run("phrase", "--list", tmp_path), 1, f"'{tmp_path}'", "Is a directory")


def test_byte_order_mark(tmp_path):
    """Catches a first word with the list's byte order mark, which no keyboard has."""
    file = tmp_path / "list"
    for text in ["\ufeffone\r\ntwo\r\n", "\ufeff# one\ntwo\none\n", "\ufeff11 one\n12 two\n"]:
        file.write_text(text, newline="")
        assert set(good("phrase", 200, "--list", file).decode().split()) == {"one", "two"}
    file.write_text("one\n\ufefftwo\n")
    refused(run("phrase", "--list", file), 1, "list'", "line 2 has the invisible character U+FEFF")


# A blank between fields is not an invisible character.
def is_invisible(character):
    kind = unicodedata.category(character)
    return kind in ("Cc", "Cf", "Zs", "Zl", "Zp") and character not in " \t\n\r"


def test_invisible_characters(tmp_path):
    """Catches a word with a character that is not seen: it looks like another word, and cannot be typed."""
    file = tmp_path / "list"
    # Marks of numbers in Arabic, Kaithi and hieroglyphs are format characters, too, and are seen.
    seen = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
    invisible = [c for c in range(0x110000) if is_invisible(chr(c)) and c not in seen]
    invisible += [0x34F, 0x115F, 0x1160, 0x17B4, 0x180B, 0x2800, 0x3164, 0xFE0F, 0xFFA0, 0xE0100]
    assert len(invisible) > 150
    for c in [0xAD, 0x200B, *invisible[:: len(invisible) if EMULATOR else 3]]:
        file.write_text(f"one\nt{chr(c)}wo\n", newline="", encoding="utf-8")
        refused(run("phrase", "--list", file), 1, "list'", f"line 2 has the invisible character U+{c:04X}")
    file.write_bytes("Gr\u00fc\u00dfe\n\u4e2d\u6587\n\u05e9\u05dc\u05d5\u05dd\n\U0001f40e\ncaf\xe9\n".encode() + b"caf\xe9\n\xc3\n")
    assert len({*run("phrase", 1, "-n", 300, "--list", file).stdout.split(b"\n")}) == 8


def test_normalised(tmp_path):
    """Catches two words of a list that are one word in two forms of Unicode, which look the same: no word is taken that NFC
    changes, of Latin, Greek, Cyrillic, kana and Korean syllables."""
    file = tmp_path / "list"
    letters = [chr(c) for c in [*range(0x41, 0x5B), *range(0x61, 0x7B), *range(0x370, 0x530), *range(0x3041, 0x3100)]]
    marks = [chr(c) for c in [*range(0x300, 0x346), 0x3099, 0x309A]]
    changed = [a + b for a in letters for b in marks if len(unicodedata.normalize("NFC", a + b)) == 1]
    assert len(changed) > 400
    changed += ["\u1112\u1161\u11ab", "\u2126", "\u212b", "\u212a", "\uf900", "\U0002f800"]
    changed = ["e\u0301", *changed[:: len(changed) - 1 if EMULATOR else 7]]
    for word in changed:
        composed = unicodedata.normalize("NFC", word)
        file.write_text(f"one\n{composed}x\n{word}x\n", encoding="utf-8")
        refused(run("phrase", "--list", file), 1, "list'", "line 3: ", "has another form", "uconv -x nfc")
    file.write_text("caf\u00e9\n\ud55c\uad6d\n\u00c5\n", encoding="utf-8")
    assert len({*good("phrase", 1, "-n", 200, "--list", file).split()}) == 3


def test_capitals_of_a_list_with_both(tmp_path):
    """Catches a separator that is blamed for two words which --capitals makes equal."""
    file = tmp_path / "list"
    file.write_text("apple\nApple\npear\n")
    refused(run("phrase", "--list", file, "--capitals"), 2, "--capitals", "'Apple' would be repeated")
    good("phrase", "--list", file)


def test_list_without_an_end(tmp_path):
    """Catches a list that is read until memory is exhausted, and the longest valid one that is refused."""
    whole = EMULATOR or "-fsanitize" in os.environ.get("CC", "")
    refused(run("phrase", "--list", "/dev/zero", preexec_fn=None if whole else limit(resource.RLIMIT_DATA, 2**30)), 1, "'/dev/zero'", f"more than {2**24} bytes")
    file = tmp_path / "list"
    file.write_text("a\n".ljust(2**24, "b"))
    assert set(good("phrase", 1, "--list", file, "-n", 9)) <= set(b"ab\n")
    file.write_text("a\n".ljust(2**24 + 1, "b"))
    refused(run("phrase", "--list", file), 1, "list'", f"more than {2**24} bytes")


def test_licence_of_the_words():
    """Catches the word list without its licence.

    CC BY asks for the name of the licensor, the licence and a link, and for a note of changes.
    """
    head = "".join(pathlib.Path(ROOT / "cli/text/words/eff.txt").read_text().partition("\n=eff-long=\n")[0])
    assert "SPDX-License-Identifier: CC-BY-3.0-US" in head
    for text in [head, (ROOT / "docs/man/cprng.1").read_text()]:
        assert "Electronic Frontier Foundation" in text and "Creative Commons" in text
        assert "https://www.eff.org/dice" in text and "creativecommons.org/licenses/by/3.0" in text
