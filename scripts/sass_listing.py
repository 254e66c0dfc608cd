#!/usr/bin/python3
"""Writes the machine code of a kernel as the tests sass.Gpu… read it (tests/stand_in/sass_reader.h).

Usage: sass_listing.py CUOBJDUMP OBJECT LISTING. CUOBJDUMP is the program of that name, OBJECT what nvcc made
of a .cu file with one kernel."""

import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")
NOBITS = 8


class Cubin:
    """The sections of an ELF file."""

    def __init__(self, data):
        begin, = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        sections = [SECTION.unpack_from(data, begin + size * k) for k in range(count)]
        name_begin = sections[names][4]

        def name(section):
            at = name_begin + section[0]
            return data[at:data.index(b"\0", at)].decode()

        self.names = [name(section) for section in sections]
        self.bytes = [
            bytes(length) if kind == NOBITS else data[offset:offset + length]
            for _, kind, _, _, offset, length, *_ in sections
        ]

    def table(self, name, entry):
        """The entries of the section `name`."""
        return [e for n, b in zip(self.names, self.bytes) if n == name for e in entry.iter_unpack(b)]


def data_lines(cubin):
    """Lines of constant banks, of global memory, and of addresses in banks."""
    symbols = [(section, value) for *_, section, value, _ in cubin.table(".symtab", SYMBOL)]
    for name, data in zip(cubin.names, cubin.bytes):
        if name in (".nv.global", ".nv.global.init"):
            yield f"global {name} {data.hex()}"
        elif bank := re.match(r"\.nv\.constant([0-9])(\.|$)", name):
            yield f"constant {bank[1]} {data.hex()}"
    for name in cubin.names:
        bank = re.match(r"\.rela\.nv\.constant([0-9])", name)
        for offset, info, addend in cubin.table(name, RELOCATION) if bank else ():
            section, value = symbols[info >> 32]
            yield f"address {bank[1]} {offset} {cubin.names[section]} {value + addend}"


def code_lines(text):
    """Lines of instructions: address, the low word of the encoding, what it says."""
    for address, said, word in re.findall(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s*/\* 0x([0-9a-f]{16}) \*/", text):
        yield f"code {address} {word} {said}"


def run(*command, cwd=None):
    """What the command says."""
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=cwd).stdout


def main():
    """Writes the listing."""
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    cuobjdump, made, listing = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        run(cuobjdump, "-xelf", "all", made, cwd=folder)
        cubins = list(Path(folder).iterdir())
        if len(cubins) != 1:
            sys.exit(f"{made} holds {len(cubins)} cubins")
        said = run(cuobjdump, "-sass", cubins[0])
        kernels = re.findall(r"Function : (\S+)", said)
        if len(kernels) != 1:
            sys.exit(f"{made} holds {len(kernels)} kernels")
        lines = [f"kernel {kernels[0]}", *data_lines(Cubin(cubins[0].read_bytes())), *code_lines(said)]
    listing.write_text("\n".join(lines) + "\n")


main()
