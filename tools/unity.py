#!/usr/bin/env python3
"""Joins C++ sources, so that the headers they share are compiled once.

usage: unity.py OUT… -- SOURCE…

Each source goes into one of the files OUT. Names in anonymous namespaces must not
meet there, so sources that declare the same one go into different files.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "[^"]+"$', re.MULTILINE)
ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$",
                       re.MULTILINE | re.DOTALL)
# Declarations begin in the first column.
DECLARED = (
    re.compile(r"^(?:struct|class|enum class|enum) (\w+)", re.MULTILINE),
    re.compile(r"^using (\w+) =", re.MULTILINE),
    re.compile(r"^(?!using |namespace )[A-Za-z][\w:<>,*&\[\] ]*?[ *&](\w+)"
               r"(?:\(|\[| =|\{|;|$)", re.MULTILINE),
)


class Joined:
    """The sources that go into one file."""

    def __init__(self):
        self.texts, self.names = [], set()

    def size(self):
        return sum(len(text) for _, text in self.texts)

    def write(self, path):
        includes = {line: None for _, text in self.texts
                    for line in INCLUDE.findall(text)}
        with open(path, "w") as out:
            # First, because a header must see no names of a source.
            for line in includes:
                print(line, file=out)
            for source, text in self.texts:
                print(f'#line 1 "{source}"\n{text}', file=out)


def names(text):
    return {name for part in ANONYMOUS.findall(text)
            for pattern in DECLARED for name in pattern.findall(part)}


def main():
    end = sys.argv.index("--")
    outs, sources = sys.argv[1:end], sys.argv[end + 1:]
    joined = [Joined() for _ in outs]
    for source in sources:
        text = pathlib.Path(source).read_text()
        declared = names(text)
        free = [j for j in joined if not j.names & declared]
        if not free:
            common = set.union(*(j.names & declared for j in joined))
            sys.exit(f"{source}: other sources of its target declare"
                     f" {', '.join(sorted(common))}, too: rename it, or list"
                     " the source in `separate`")
        chosen = min(free, key=Joined.size)
        chosen.texts.append((source, text))
        chosen.names |= declared
    for j, out in zip(joined, outs):
        j.write(out)


main()
