#!/usr/bin/env python3
"""Turns the plain comments of a header into those that Doxygen reads: its INPUT_FILTER. Prints the header.

    /* ... */ at the start of the file                     describes the file
    /* ... */ on lines of its own, right before code       describes what follows
    code /* ... */                                         describes that member, enumerator or function
    /* ---- words ---- */                                  heads a group of declarations

A comment before an empty line describes nothing. Members and functions that mean the same everywhere need no comment in
the headers: they get theirs from COMMON. Lines keep their numbers, so that warnings name the right ones.

doxygen_comments.py HEADER            prints the header
doxygen_comments.py --check HEADER... names enumerators without a comment, of which Doxygen does not warn"""
import re
import sys

COMMON = [
    (re.compile(r"^\s*uint32_t cookie;$"), "Set by the taut_default_* function of the struct; leave it as it is."),
    (re.compile(r"^\s*uint32_t bytes;$"), "Set likewise: size of the struct in the headers of the program."),
    (re.compile(r"^\s*size_t count;$"), "How many there are."),
    (re.compile(r"^\s*taut_allocator allocator;$"), "Where memory comes from; default: the C library."),
    (re.compile(r"^\s*const double\* compliances;$"), "count; NULL: `compliance` for all."),
    (re.compile(r"^\s*const double\* dampings;$"), "count, s; NULL: `damping` for all."),
    (re.compile(r"^\s*double damping;$"), "s, >= 0; default 0."),
    (re.compile(r"^\s*double compliance;$"), "Default 0: hard."),
    (re.compile(r"^\s*TAUT_\w+_COUNT$"), "How many there are; none of them."),
    (re.compile(r"^TAUT_DEFAULT\(taut_\w+, taut_default_\w+, \w+\)$"), "The struct with every default, to be filled in."),
]
SEVERAL = re.compile(r"^(\s+(?:const )?\w+) (\w+(?:, \w+)+);(?:\s*/\*(.*)\*/)?\s*$")  # TYPE a, b; /* ... */
SECTION = re.compile(r"^/\* -{2,} (.*?) -{2,} \*/$")


ENUMERATION = re.compile(r"^typedef enum \w+ \{(.*)$")
FORMULA = re.compile(r"^ \*\s{4,}(\S.*)$")  # an indented line of a comment


def escape(text):
    """Characters that mean something to Doxygen and nothing in these comments."""
    return re.sub(r"(?<!\\)([@#<>|])", r"\\\1", text)


def common_comment(line):
    return next((text for pattern, text in COMMON if pattern.match(line)), None)


def split_members(match):
    """Several members of one declaration, each with the comment."""
    return "".join(f"{match[1]} {name}; /**< {escape((match[3] or '').strip())} */" for name in match[2].split(", "))


def find_opener(lines, number):
    """How the comment that begins line `number` is opened for Doxygen."""
    if number == 0:
        return "/** @file\n * "
    end = next(i for i in range(number, len(lines)) if "*/" in lines[i])
    return "/** " if end + 1 < len(lines) and lines[end + 1].strip() else "/* "


def filter_lines(lines):
    result, opener = [], ""  # opener: of the comment that is open, or that ended on the line before
    inside = False
    for number, line in enumerate(lines):
        if SECTION.match(line):
            result.append("")  # groups would hide what they hold from the pages of structs
            opener = ""
        elif inside:
            formula = FORMULA.match(line) if "*/" not in line else None
            result.append(f" * \\n `{formula[1]}` \\n" if formula else escape(line))
            inside = "*/" not in line
        elif SEVERAL.match(line):
            result.append(split_members(SEVERAL.match(line)))
            opener = ""
        elif "/*" in line:
            code, comment = line.split("/*", 1)
            opener = "/**< " if code.strip() else find_opener(lines, number)
            result.append(code + opener + escape(comment.lstrip()))
            inside = "*/" not in comment
        else:
            text = common_comment(line) if opener != "/** " else None
            result.append(f"{line} /**< {escape(text)} */" if text else line)
            opener = ""
    return result


def find_bare_enumerators(lines):
    """Numbers of lines with an enumerator that no comment describes, in a header as filtered."""
    inside = in_comment = False
    for number, line in enumerate(lines, 1):
        opened = ENUMERATION.match(line)
        if in_comment:
            in_comment = "*/" not in line
        elif opened:
            inside = "}" not in opened[1]
            if not inside:
                yield number  # all on one line, and so without comments
        elif line.startswith("}"):
            inside = False
        elif inside and line.strip() and "/*" not in line:
            yield number
        if "/*" in line:
            in_comment = "*/" not in line.split("/*", 1)[1]


def read_filtered(path):
    with open(path, encoding="utf-8") as header:
        return filter_lines(header.read().split("\n"))


def main():
    if sys.argv[1] != "--check":
        print("\n".join(read_filtered(sys.argv[1])))
        return 0
    bare = [(path, number) for path in sys.argv[2:] for number in find_bare_enumerators(read_filtered(path))]
    for path, number in bare:
        print(f"{path}:{number}: an enumerator without a comment")
    return 1 if bare else 0


if __name__ == "__main__":
    sys.exit(main())
