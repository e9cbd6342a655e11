#!/usr/bin/env python3
"""Reads the public headers and writes what the binding knows of them, so that members, units and ranges stand once.

    read_headers.py INCLUDE_FOLDER OUTPUT_FOLDER

tables.h has, in C++, the names of every enumeration, and a table of the members of every struct that crosses the border.
methods.h has the classes of reports, and one method for each function that takes a definition, with its signature and
docstring. A header that this does not understand ends the build."""
import pathlib
import re
import sys

SETTINGS = ["primal", "integrator", "solver", "contact_settings", "reserve", "sleep"]  # members of definitions
REPORTS = {  # returned one by one: class in Python
    "step_info": "StepInfo", "choice": "Choice", "overlaps": "Overlaps", "saved": "Saved", "device_info": "DeviceInfo",
    "body_ranges": "BodyRanges", "joint_batches": "JointBatches", "limit_batches": "LimitBatches",
    "rod_ranges": "RodRanges", "fabric": "Fabric",
    "rope_kind": "RopeKind"}
RECORDS = ["contact", "contact_pair", "hit", "overlap", "block"]  # returned as structured arrays
HIDDEN = {"cookie", "bytes", "reserved", "unused", "allocator", "log", "log_user", "tasks"}
SCALARS = {"double": "f64", "bool": "boolean", "uint32_t": "u32", "uint64_t": "u64", "size_t": "size", "int": "i32",
           "char": "text", "void": "pointer"}
EXPLAINED = {"shape"}  # enumerations whose entries have a line each
# Arrays whose number of rows follows from offsets, not from a count alone.
ROWS = {
    ("rods_def", "offsets"): "offsets", ("rods_def", "positions"): "entries", ("rods_def", "orientations"): "pieces",
    ("rods_def", "rest_rotations"): "bends", ("rods_def", "clamped"): "entries",
    ("combinations_def", "offsets"): "offsets", ("combinations_def", "parents"): "entries",
    ("combinations_def", "weights"): "entries", ("skinned_def", "offsets"): "offsets",
    ("skinned_def", "bodies"): "entries", ("skinned_def", "weights"): "entries",
    ("linear_map_def", "offsets"): "offsets3", ("linear_map_def", "coordinates"): "entries",
    ("linear_map_def", "weights"): "entries", ("linear_def", "offsets"): "offsets",
    ("linear_def", "coordinates"): "entries", ("linear_def", "weights"): "entries"}
COLUMNS = {("rods_def", "orientations"): 4, ("rods_def", "rest_rotations"): 3, ("rods_def", "positions"): 3}
BY_NAME = {"max_violation": "kind", "stage_seconds": "stage"}  # arrays of reports with an entry per enumerator


class Member:
    def __init__(self, kind, name, pointer, length, doc):
        self.kind, self.name, self.pointer, self.length, self.doc = kind, name, pointer, length, doc


def plain(comment):
    """A comment as a paragraph for readers of Python."""
    text = re.sub(r"\s*\n[\s*]*", " ", comment or "").strip()
    return text.replace("NULL", "None").replace("INFINITY", "inf").replace("UINT32_MAX", "0xFFFFFFFF").replace("TAUT_WORLD", "WORLD")


def of_function(comment):
    """The same of a function, whose outputs are what it returns in Python."""
    text = re.sub(r"(^|\. |; )`\w+`(?: \(may be None\))? receives", r"\1returns", plain(comment))
    text = re.sub(r";? ?`\w+` may be None\.?", ".", text).replace("..", ".").strip()
    return re.sub(r"(^|\. )returns", r"\1Returns", text)


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


class Headers:
    def __init__(self, folder):
        self.text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder, "taut").glob("*.h")))
        self.enums = {name: self.read_enum(body) for name, body in
                      re.findall(r"typedef enum taut_(\w+) \{(.*?)\n\} taut_\1;", self.text, re.DOTALL)}
        self.entries = {name: self.explain(name) for name in EXPLAINED}
        self.cookies = dict(re.findall(r"(TAUT_DEFINITION_\w+) = 0x\w+,?\s*/\* taut_(\w+) \*/", self.text))
        self.cookies = {struct: cookie for cookie, struct in self.cookies.items()}
        found = re.findall(r"(?:/\*((?:(?!\*/).)*)\*/\s*)?typedef struct taut_(\w+) \{(.*?)\n\} taut_\2;", self.text, re.DOTALL)
        needed = {*SETTINGS, *REPORTS, *RECORDS}
        self.structs = {name: (plain(doc), self.read_members(name, body)) for doc, name, body in found
                        if name in needed or (name.endswith("_def") and name != "scene_def")}

    @staticmethod
    def read_enum(body):
        return re.findall(r"^\s*(TAUT_\w+)\s*(?:=|,|$|/)", re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL), re.MULTILINE)

    def explain(self, enum):
        """What the comments say of each entry."""
        body = re.search(r"typedef enum taut_" + enum + r" \{(.*?)\n\}", self.text, re.DOTALL)[1]
        said = dict(re.findall(r"^\s*(TAUT_\w+)[^/\n]*/\*(.*?)\*/", body, re.MULTILINE | re.DOTALL))
        return [f"    {short}: {plain(said[full])}" for short, full in self.names(enum) if full in said]

    def read_members(self, struct, body):
        members, line = [], []  # `line`: what the last declaration declares
        for comment, declaration in re.findall(r"/\*(.*?)\*/|([^;/]+);", body, re.DOTALL):
            if comment:  # of the declaration before it
                for m in line:
                    m.doc = m.doc or plain(comment)
                continue
            match = re.fullmatch(r"\s*(?:const\s+)?(\w+)\s*(\*?)\s*([\w\[\], ]+)", declaration)
            if not match:
                sys.exit(f"read_headers: taut_{struct}: cannot read '{declaration.strip()}'")
            line = [Member(match[1], re.match(r"\w+", name)[0], match[2] == "*", (re.findall(r"\[(\w+)\]", name) or [None])[0], "")
                    for name in match[3].split(", ")]
            members += [m for m in line if m.name not in HIDDEN]
        return members

    def names(self, enum):
        """Enumerators without what all of them begin with: 'condensed' of TAUT_METHOD_CONDENSED."""
        full = [name for name in self.enums[enum] if not name.endswith("_COUNT")]
        words = [name.split("_")[:-1] for name in full]
        shared = 0
        while all(len(w) > shared and w[shared] == words[0][shared] for w in words):
            shared += 1
        return [("_".join(name.split("_")[shared:]).lower(), name) for name in full]


class Writer:
    def __init__(self, headers):
        self.headers, self.lines = headers, []

    def put(self, text):
        self.lines.append(text)

    def write(self, folder, name):
        head = "/* Made by read_headers.py from include/taut. */\n#pragma once\n"
        pathlib.Path(folder, name).write_text(head + "\n".join(self.lines) + "\n", encoding="utf-8")
        self.lines = []

    # ---- tables ----------------------------------------------------------------------------------------------------

    def enum(self, name):
        entries = ", ".join(f"{{{quote(short)}, {full}}}" for short, full in self.headers.names(name))
        self.put(f"inline const std::vector<Name> names_{name} = {{{entries}}};")

    def rows_of(self, struct, member):
        """How many rows an array has, how many values each, and the count that they share."""
        special = ROWS.get((struct, member.name))
        if special:
            return special, COLUMNS.get((struct, member.name), 1), "count"
        found = re.match(r"(\w*count)((?: x \d+)*)", member.doc)
        if not found:
            return "counted", 1, "count"
        columns = 1
        for factor in re.findall(r"x (\d+)", found[2]):
            columns *= int(factor)
        return "counted", columns, found[1]

    def member(self, struct, m):
        rows, columns, count, other = "counted", 1, "0", "nullptr, nullptr"
        if m.pointer and m.kind not in ("void", "char"):
            form = "array"
            rows, columns, count = self.rows_of(struct, m)
            count = f"offsetof(taut_{struct}, {count})"
            columns *= 2 if m.kind == "taut_body" else 1  # two numbers each
        elif m.kind == "taut_body":
            form, columns = "fixed", 2
        elif m.kind.startswith("taut_") and m.kind[5:] in self.headers.enums:
            form, other = "enumeration", f"&names_{m.kind[5:]}, nullptr"
        elif m.kind in ("taut_range", "taut_batch"):
            form = m.kind[5:]
        elif m.kind.startswith("taut_"):
            form, other = "structure", f"nullptr, &members_{m.kind[5:]}"
        elif m.length:
            form, columns = "fixed", m.length
            if m.name in BY_NAME:
                other = f"&names_{BY_NAME[m.name]}, nullptr"
        else:
            form = "scalar"
        kind = SCALARS.get(m.kind, "u32")
        kind = "text" if m.kind == "char" else kind
        return (f"    {{{quote(m.name)}, offsetof(taut_{struct}, {m.name}), Type::{kind}, Form::{form}, {columns}, "
                f"Rows::{rows}, {count}, {other}}},")

    def table(self, struct):
        doc, members = self.headers.structs[struct]
        del doc
        self.put(f"inline const Table members_{struct} = {{{quote('taut_' + struct)}, sizeof(taut_{struct}), {self.headers.cookies.get(struct, 0)}, {{")
        for m in members:
            self.put(self.member(struct, m))
        self.put("}};")

    # ---- signatures and docstrings ---------------------------------------------------------------------------------

    def annotation(self, m):
        if m.pointer and m.kind not in ("void", "char"):
            return "taut.ArrayLike | None = None"
        if m.kind == "taut_body":
            return "taut.ArrayLike = ..."
        if m.kind.startswith("taut_") and m.kind[5:] in self.headers.enums:
            return "str = ..."
        if m.kind.startswith("taut_"):
            return "dict[str, typing.Any] = ..."
        if m.length:
            return "taut.ArrayLike = ..."
        return {"double": "float", "bool": "bool"}.get(m.kind, "int") + (" | None" if m.name.endswith("count") else "") + " = ..."

    def signature(self, struct):
        """The counts come last: arrays give them."""
        members = sorted(self.headers.structs[struct][1], key=lambda m: m.name.endswith("count"))
        return ", ".join(f"{m.name}: {self.annotation(m)}" for m in members)

    def describe(self, struct):
        lines = []
        for m in self.headers.structs[struct][1]:
            doc = m.doc
            if m.kind.startswith("taut_") and m.kind[5:] in self.headers.enums:
                doc = f"{' | '.join(short for short, _ in self.headers.names(m.kind[5:]))}. {doc}"
            if m.name.endswith("count"):
                doc = (doc + "; " if doc else "") + "follows from the arrays"
            if m.kind == "taut_body":
                doc = self.describe_bodies(m)
            lines.append(f"{m.name}: {doc}" if doc else m.name)
            if m.kind.startswith("taut_"):
                lines += self.headers.entries.get(m.kind[5:], [])
        return "\n".join(lines)

    @staticmethod
    def describe_bodies(m):
        """Two numbers each: 'count x 4: point, frame, point, frame: ...' of pairs."""
        found = re.match(r"count(?: x (\d+))?(?=$|:)", m.doc) if m.pointer else None
        if not found:
            return f"{m.doc}; point and frame of each" if m.pointer else f"point, frame: {m.doc}"
        each = int(found[1] or 1)
        return f"count x {2 * each}: " + ", ".join(each * ["point, frame"]) + m.doc[found.end():]

    # ---- functions that take a definition --------------------------------------------------------------------------

    def adders(self, owner):
        pattern = (r"/\*((?:(?!\*/).)*)\*/\s*TAUT_API taut_status taut_" + owner +
                   r"_(add_\w+)\(taut_\w+\* \w+,\s+const taut_(\w+)\* def,\s+(\w+)\* \w+\);")
        found = re.findall(pattern, self.headers.text, re.DOTALL)
        self.put(f"template <class Class> void bind_{owner}_adders(Class& c) {{")
        for doc, name, struct, out in found:
            result = {"taut_range": "range", "taut_batch": "Batch", "uint32_t": "int",
                      "taut_added": "numpy.typing.NDArray[numpy.uint64]"}.get(out) or REPORTS[out[5:]]
            members = self.signature(struct)
            own = "_self, /" if re.search(r"\bself:", members) else "self"  # a member may have that name
            sig = f"def {name}({own}, *, {members}) -> {result}"
            about = self.headers.structs[struct][0]
            text = "\n\n".join(part for part in (of_function(doc), about, self.describe(struct)) if part)
            self.put(f"    c.def({quote(name)}, [](typename Class::Type& self, const nb::kwargs& given) {{ return "
                     f"add_to_{owner}(self, members_{struct}, given, taut_{owner}_{name}); }}, "
                     f"nb::sig({quote(sig)}), {quote(text)});")
        self.put("}")

    def report(self, struct, name):
        doc, members = self.headers.structs[struct]
        bound = f"OfScene<taut_{struct}>" if any(m.kind == "taut_batch" for m in members) else f"taut_{struct}"
        self.put(f"    bind_report<{bound}>(m, {quote(name)}, {quote(doc)}, members_{struct}, {{")
        for m in members:
            kind = {"double": "float", "bool": "bool", "taut_range": "range", "taut_batch": "Batch", "char": "str"}.get(m.kind, "int")
            if m.kind.startswith("taut_") and m.kind[5:] in self.headers.enums:
                kind = "str"
            if m.length and m.kind != "char":
                kind = f"dict[str, {kind}]" if m.name in BY_NAME else f"tuple[{kind}, ...]"
            self.put(f"        {{{quote(f'def {m.name}(self) -> {kind}')}, {quote(m.doc)}}},")
        self.put("    });")


def main():
    headers = Headers(sys.argv[1])
    w = Writer(headers)
    definitions = [name for name in headers.structs if name.endswith("_def")]
    for enum in sorted(headers.enums):
        if enum != "definition":
            w.enum(enum)
    for struct in SETTINGS + definitions + list(REPORTS) + RECORDS:
        w.table(struct)
    w.put("inline const std::vector<const Table*> all_tables = {" +
          ", ".join(f"&members_{s}" for s in SETTINGS + definitions + list(REPORTS) + RECORDS) + "};")
    for struct in ["world_def", "integrator", "solver"]:
        w.put(f"inline const char* const signature_{struct} = {quote(w.signature(struct))};")
        w.put(f"inline const char* const about_{struct} = {quote(w.describe(struct))};")
    w.put("inline const std::vector<std::pair<const char*, const std::vector<Name>*>> all_names = {")
    for enum in sorted(headers.enums):
        if enum != "definition":
            w.put(f"    {{{quote(enum)}, &names_{enum}}},")
    w.put("};")
    w.write(sys.argv[2], "tables.h")
    for owner in ["scene", "world"]:
        w.adders(owner)
    w.put("inline void bind_reports(nb::module_& m) {")
    for struct, name in REPORTS.items():
        w.report(struct, name)
    w.put("}")
    w.write(sys.argv[2], "methods.h")


if __name__ == "__main__":
    main()
