#!/usr/bin/env python3
"""Executes the code blocks of a Markdown page, in their order, in a scratch folder.

run_docs.py PAGE.md --source DIR --build DIR --scratch DIR [--cc CC] [--cflags FLAGS] [--libs FLAGS]
            [--cuda-include DIR]

What is done with a block follows from its language:

    sh              run by `sh -eu` in the scratch folder. Commands of NOT_RUN are left out.
    text            directly after a block of sh: the output that those commands must print (see compare()).
    json            a scene. It is written to its title (or scene.json), checked by `taut check`, and run for two frames.
    c               with a title: a program. It is written, compiled with all warnings as errors, linked and run.
                    Without: a fragment, compiled inside fragment.c and run there.
    python, cmake,  with a title: written, for commands that follow on the page. Python without a title needs the package:
    obj, csv        python/tests/test_pages.py runs it.

A comment line right before a block says what else holds for it:

    <!-- docs: into FILE.json [PLACE] -->     of json: a fragment. Its keys replace those of the scene FILE.json (written
                                              before on the page) at PLACE, such as `solver` or `objects.sheet`; elements
                                              without keys are added to the list at PLACE. The result is checked and run;
                                              a title keeps it.
    <!-- docs: bad -->                        of json: `taut check` must refuse it (exit status 2).
    <!-- docs: fragment scene|world|empty -->       of c: what the fragment finds, see fragment.c. Default: world.
    <!-- docs: synopsis -->                   lines `taut COMMAND ...` that show options: each COMMAND must have --help.
    <!-- docs: needs FILE ... -->             files/FILE lies in the scratch folder before the block is executed.

In the scratch folder `build/release`, `tools` and `examples` are those of the repository, and the folder `taut` is the
repository; the commands `taut` and `cc` are on the PATH, and pkg-config finds taut. A block without a language is judged
by its text. Programs that need CUDA, and commands that name them, are left out where taut is built without. Exit status
1: a block failed, which is told with its line."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 300  # for one block

# Commands that the pages show and no test of a page can afford: the first words of a line, and why.
NOT_RUN = {
    "git clone": "needs a network",
    "sudo apt-get": "changes the machine",
    "sudo apt": "changes the machine",
    "sh tools/install-dependencies.sh": "changes the machine",
    "sh tools/demo.sh": "builds everything; continuous integration runs it on a clean clone",
    "sh tools/test.sh": "runs all tests, this one among them; continuous integration runs it",
    "sh tools/gpu-check.sh": "builds everything, and needs a GPU",
    "sh tools/gpu-pack.sh": "needs a build with CUDA",
    "sh tools/site.sh": "needs a network",
    "cmake --preset": "builds everything; this test runs in that build",
    "cmake --build --preset": "builds everything; this test runs in that build",
    "ctest --preset": "runs all tests, this one among them",
    "export PATH=": "the test has set it already",
    "pip install": "builds everything; tools/test-python.sh does it",
    "taut view": "needs a screen; tests/view has one",
    "pip wheel": "builds everything; tools/test-python.sh does it",
    "auditwheel": "needs a wheel; tools/test-python.sh does it",
    "python -m taut.": "needs the Python package; python/tests runs it",
    "python examples/": "needs the Python package; python/tests runs it",
}
WRITTEN = {"python", "cmake", "obj", "csv"}
SCRIPT = re.compile(r"\b(?:tools|benchmarks|examples)/[\w./-]+\.(?:sh|py|json)\b")


class Failure(Exception):
    """What is wrong with a block."""


class Block:
    def __init__(self, line, language, title, directive, text):
        self.line, self.language, self.title, self.directive, self.text = line, language, title, directive, text


# ---- reading a page ---------------------------------------------------------------------------------------------------

FENCE = re.compile(r'^(?P<indent> *)```(?P<language>[\w+-]*)(?P<rest>.*)$')
TITLE = re.compile(r'title="([^"]+)"')
DIRECTIVE = re.compile(r"^\s*<!-- docs: (.*?) -->\s*$")
COMMANDS = ("sh ", "taut ", "build/", "cmake ", "ctest ", "cc ", "python3 ")


def guess_language(text):
    if text.lstrip().startswith("{"):
        return "json"
    return "sh" if text.lstrip().startswith(COMMANDS) else "c"


def is_list_item(line):
    return re.match(r"\s*(?:[-*+]|\d+\.)\s", line) is not None


def read_fenced(lines, at, match):
    """The text of the fenced block that begins at line `at`, and the line behind its end."""
    indent, end, text = len(match["indent"]), at + 1, []
    while end < len(lines) and lines[end].strip() != "```":
        text.append(lines[end][indent:] if lines[end][:indent].strip() == "" else lines[end])
        end += 1
    if end == len(lines):
        raise Failure(f"line {at + 1}: the block has no end")
    return "\n".join(text) + "\n", end + 1


def read_indented(lines, at):
    end = at
    while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
        end += 1
    return "\n".join(line[4:] for line in lines[at:end]).rstrip() + "\n", end


def read_blocks(path):
    lines = path.read_text(encoding="utf-8").split("\n")
    blocks, directive, at, in_list = [], "", 0, False
    while at < len(lines):
        line = lines[at]
        fence, told = FENCE.match(line), DIRECTIVE.match(line)
        if fence:
            title = TITLE.search(fence["rest"])
            text, end = read_fenced(lines, at, fence)
            blocks.append(Block(at + 1, fence["language"] or guess_language(text), title[1] if title else "", directive, text))
            directive, at = "", end
        elif line.startswith("    ") and line.strip() and not in_list and (at == 0 or not lines[at - 1].strip() or directive):
            text, end = read_indented(lines, at)
            blocks.append(Block(at + 1, guess_language(text), "", directive, text))
            directive, at = "", end
        else:
            if told:
                directive = told[1]
            elif line.strip():
                if directive:
                    raise Failure(f"line {at + 1}: `docs: {directive}` stands before no block")
                in_list = is_list_item(line) or (in_list and line.startswith(" "))
            at += 1
    return blocks


# ---- the output that a page shows ---------------------------------------------------------------------------------------

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+(?![\d.])|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")


def same_number(shown, printed):
    try:
        a, b = float(shown.replace(",", "")), float(printed.replace(",", ""))
    except ValueError:
        return shown == printed
    return abs(a - b) <= 0.1 * max(abs(a), abs(b)) + 1e-12 or (a == int(a) and abs(a - b) <= 2 and abs(a) < 50)


def same_line(shown, printed):
    """Words are equal, numbers to a tenth (small whole ones to 2), `...` stands for anything."""
    parts = shown.split("...")
    if len(parts) > 1:
        number = f"({NUMBER.pattern})"
        patterns = (number.join(re.escape(piece) for piece in NUMBER.split(part)) for part in parts)
        match = re.fullmatch(".*".join(patterns).replace(r"\ ", r"\s+"), printed)
        wanted = [number for part in parts for number in NUMBER.findall(part)]
        return match is not None and all(map(same_number, wanted, match.groups()))
    numbers, others = NUMBER.findall(shown), NUMBER.findall(printed)
    words, other_words = NUMBER.sub("\0", shown).split(), NUMBER.sub("\0", printed).split()
    return words == other_words and len(numbers) == len(others) and all(map(same_number, numbers, others))


def compare(shown, printed):
    """Lines in their order; a line `...` stands for any number of lines."""
    shown, printed = shown.rstrip("\n").split("\n"), printed.rstrip("\n").split("\n")
    at, free = 0, False
    for line in shown:
        if line.strip() == "...":
            free = True
            continue
        while free and at < len(printed) and not same_line(line.strip(), printed[at].strip()):
            at += 1
        if at == len(printed) or not same_line(line.strip(), printed[at].strip()):
            found = printed[at] if at < len(printed) else "(the end)"
            raise Failure(f"the page shows\n    {line}\nand the commands print\n    {found}")
        at, free = at + 1, False
    if not free and at < len(printed):
        raise Failure(f"the commands print more than the page shows:\n    {printed[at]}")


# ---- scenes -------------------------------------------------------------------------------------------------------------


def find_place(scene, place):
    """The object or list at a place such as `objects.sheet`, made where it is missing, and the keys that lead to it."""
    here = scene
    for key in filter(None, place.split(".")):
        if isinstance(here, list):
            found = [item for item in here if item.get("name") == key] if not key.isdigit() else here[int(key):][:1]
            if not found:
                raise Failure(f"the scene has no {place}")
            here = found[0]
        else:
            here = here.setdefault(key, [] if key in ("objects", "constraints", "mappings", "materials") else {})
    return here


def merge(scene, place, text):
    target = find_place(scene, place)
    if isinstance(target, list):
        target.extend(parse(f"[{text.strip().rstrip(',')}]"))
    else:
        target.update(parse(text if text.lstrip().startswith("{") else "{" + text.strip().rstrip(",") + "}"))


def parse(text):
    try:
        return json.loads(text)
    except ValueError as error:
        raise Failure(f"not JSON: {error}") from None


# ---- executing ----------------------------------------------------------------------------------------------------------


class Page:
    def __init__(self, options):
        self.options = options
        self.path = pathlib.Path(options.page).resolve()
        self.source, self.build = (pathlib.Path(path).resolve() for path in (options.source, options.build))
        self.scratch = pathlib.Path(options.scratch).resolve()
        self.output = None  # of the last block, where that was one of commands
        self.skipped = 0
        self.without = []  # titles of programs that were left out
        self.make_scratch()

    def make_scratch(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        hidden = self.scratch / ".docs"
        for folder in (hidden / "bin", hidden / "home", self.scratch / "build"):
            folder.mkdir(parents=True)
        (self.scratch / "build/release").symlink_to(self.build)
        for name in ("tools", "examples", "include"):
            (self.scratch / name).symlink_to(self.source / name)
        (self.scratch / "taut").symlink_to(self.source)
        compiler = shutil.which(self.options.cc)
        if not compiler:
            raise Failure(f"no compiler {self.options.cc}")
        (hidden / "bin/cc").write_text(f'#!/bin/sh\nexec "{compiler}" {self.options.cflags} "$@"\n')
        (hidden / "bin/cc").chmod(0o755)
        cuda = f" -isystem {self.options.cuda_include}" if self.options.cuda_include else ""
        (hidden / "taut.pc").write_text(
            f"Name: taut\nDescription: taut, not installed\nVersion: 0\nCflags: -I{self.source}/include{cuda}\n"
            f"Libs: -L{self.build}/lib -ltaut {self.options.libs}\n")
        self.environment = dict(
            os.environ, HOME=str(hidden / "home"), PKG_CONFIG_PATH=str(hidden), LC_ALL="C.UTF-8",
            ASAN_OPTIONS="detect_leaks=0",  # fragments do not destroy what they make
            PATH=os.pathsep.join((str(hidden / "bin"), str(self.build / "bin"), os.environ["PATH"])),
            LD_LIBRARY_PATH=os.pathsep.join(filter(None, (str(self.build / "lib"), os.environ.get("LD_LIBRARY_PATH")))))

    def call(self, command, wanted=0):
        try:
            done = subprocess.run(command, cwd=self.scratch, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise Failure(f"not done after {SECONDS} s") from None
        if done.returncode != wanted:
            raise Failure(f"exit status {done.returncode}, not {wanted}, of {command}\n{done.stdout}")
        return done.stdout

    def write(self, block):
        path = self.scratch / block.title
        if not path.resolve().is_relative_to(self.scratch):
            raise Failure(f"{block.title} is outside of the scratch folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def execute(self, block):
        word, _, rest = block.directive.partition(" ")
        if word == "needs":
            for name in rest.split():
                shutil.copy(HERE / "files" / name, self.scratch)
        elif word == "synopsis":
            return self.execute_synopsis(block)
        elif word not in ("", "into", "bad", "fragment"):
            raise Failure(f"unknown: docs: {block.directive}")
        if block.language == "text":
            return self.execute_text(block)
        self.output = None
        if block.language == "py" or (block.language == "python" and not block.title):  # py: opens a window
            self.skipped += 1
            return None
        if block.language in WRITTEN:
            if not block.title:
                raise Failure(f"{block.language} needs a title")
            return self.write(block)
        execute = {"sh": self.execute_sh, "json": self.execute_json, "c": self.execute_c}.get(block.language)
        if not execute:
            raise Failure(f"no rule for the language `{block.language}`")
        return execute(block)

    def has_bench(self):
        return (self.build / "bin/taut-bench").exists()

    def has_viewer(self):
        return (self.build / "bin/taut-view").exists()

    def execute_synopsis(self, block):
        for line in block.text.splitlines():
            words = line.split()
            if words[:1] != ["taut"] or len(words) < 2:
                raise Failure(f"no command of taut: {line}")
            if words[1] == "bench" and not self.has_bench():
                continue
            if words[1] in ("view", "render") and not self.has_viewer():
                continue
            if words[1] in ("run", "check", "assemble", "view", "render", "info", "bench"):
                self.call(["taut", words[1], "--help"])
            else:
                raise Failure(f"unknown command: {line}")

    def execute_text(self, block):
        if self.output is not None:
            compare(block.text, self.output)
        self.output = None

    def execute_sh(self, block):
        kept = []
        for line in re.sub(r"\\\n\s*", "", block.text).splitlines():
            for script in SCRIPT.findall(line):
                if not (self.source / script).exists() and not (self.scratch / script).exists():
                    raise Failure(f"{script} does not exist")
            reason = next((why for words, why in NOT_RUN.items() if line.strip().startswith(words)), None)
            if any(title in line for title in self.without):
                reason = "needs CUDA"
            if "taut bench" in line and not self.has_bench():
                reason = "taut-bench is not built"
            if "taut render" in line and not self.has_viewer():
                reason = "taut-view is not built"
            if reason:
                print(f"  line {block.line}: left out, {reason}: {line.strip()}")
                self.skipped += 1
            else:
                kept.append(line)
        self.output = self.call(["sh", "-euc", "\n".join(kept)]) if any(line.strip() for line in kept) else None

    def execute_json(self, block):
        word, _, rest = block.directive.partition(" ")
        if word == "into":
            name, _, place = rest.partition(" ")
            scene = parse((self.scratch / name).read_text(encoding="utf-8"))
            merge(scene, place.strip(), block.text)
            block.text = json.dumps(scene, indent=1)
            block.title = block.title or "fragment-of-" + name
        block.title = block.title or "scene.json"
        self.write(block)
        if word == "bad":
            self.call(["taut", "check", block.title], wanted=2)
            return
        self.call(["taut", "check", block.title])
        self.call(["taut", "run", block.title, "--frames", "2", "--out", ".docs/out"])

    def execute_c(self, block):
        if "cuda_runtime" in block.text and not self.options.cuda_include:
            print(f"  line {block.line}: left out, taut is built without CUDA")
            self.skipped += 1
            self.without.append(block.title)
            return
        if block.title:
            self.write(block)
            source, defines = block.title, []
        else:
            kind = block.directive.partition(" ")[2] or "world"
            if kind not in ("scene", "world", "empty"):
                raise Failure(f"unknown: docs: {block.directive}")
            (self.scratch / ".docs/fragment.inc").write_text(f"#line {block.line + 1} \"{self.path.name}\"\n" + block.text)
            source, defines = str(HERE / "fragment.c"), [f"-DFRAGMENT_OF_{kind.upper()}", "-Wno-unused"]
        flags = self.call(["pkg-config", "--cflags", "--libs", "taut"]).split()
        cuda = ["-lcudart"] if "cuda_runtime" in block.text else []
        self.call(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *defines, "-I.docs", "-Iinclude", source, "-o",
                   ".docs/program", *flags, *cuda, "-lm"])
        self.call([".docs/program"])

    def run(self):
        blocks = read_blocks(self.path)
        for block in blocks:
            try:
                self.execute(block)
            except Failure as failure:
                print(f"{self.path}:{block.line}: {block.language} {block.title}: {failure}")
                return 1
        print(f"{self.path.name}: {len(blocks)} blocks, {self.skipped} commands or blocks left out")
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page")
    parser.add_argument("--source", required=True, help="the repository")
    parser.add_argument("--build", required=True, help="a build of it: bin/ and lib/")
    parser.add_argument("--scratch", required=True, help="a folder; it is emptied first")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cflags", default="", help="options of every call of the compiler, such as sanitizers")
    parser.add_argument("--libs", default="", help="what programs need beside libtaut")
    parser.add_argument("--cuda-include", default="", help="the headers of the CUDA runtime")
    try:
        return Page(parser.parse_args()).run()
    except Failure as failure:
        print(failure)
        return 1


if __name__ == "__main__":
    sys.exit(main())
