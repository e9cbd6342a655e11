#!/usr/bin/env python3
"""Checks that every relative link and anchor in the Markdown pages of a folder leads somewhere. No network.

check_links.py [FOLDER]

Anchors are those that GitHub makes of headings; the site makes the same ones (docs/site/hooks.py). Exit status 1: some
link is broken; each is told with its file and line."""
import pathlib
import re
import sys
import urllib.parse

SKIPPED = {"build", "out", "node_modules", "gpu-check"}
GENERATED = ("docs/reference/c/",)  # by Doxygen, when the site is built
FENCE = re.compile(r"^\s*(```+|~~~+)")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\s{0,3}\[[^\]]+\]:\s+(\S+)")
ANCHOR = re.compile(r'<[^>]+\b(?:id|name)="([^"]+)"')
HTML_LINK = re.compile(r'<(?:a|img|source)\b[^>]*\b(?:href|src)="([^"]+)"')


def find_pages(root):
    return [path for path in sorted(root.rglob("*.md"))
            if not any(part in SKIPPED or part.startswith(".") for part in path.relative_to(root).parts[:-1])]


def read_lines(path):
    """Numbered lines outside of fenced blocks, without inline code."""
    fence = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark = FENCE.match(line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
        elif fence is None:
            yield number, line


def slug(heading):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]*>", "", text).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def find_anchors(path):
    anchors, seen = set(), {}
    for _, line in read_lines(path):
        heading = re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            name = slug(heading[1])
            seen[name] = seen.get(name, -1) + 1
            anchors.add(f"{name}-{seen[name]}" if seen[name] else name)
        anchors.update(ANCHOR.findall(line))
    return anchors


def find_links(path):
    for number, line in read_lines(path):
        plain = re.sub(r"`[^`]*`", lambda code: "x" * len(code[0]), line)
        for pattern in (LINK, REFERENCE, HTML_LINK):
            for target in pattern.findall(plain):
                yield number, target


def what_is_wrong(root, path, target, anchors):
    if re.match(r"^[a-z][a-z0-9+.-]*:", target):
        return None
    place, _, anchor = urllib.parse.unquote(target).partition("#")
    if place.startswith("/"):
        return "an absolute path"
    found = (path.parent / place).resolve() if place else path
    if not found.is_relative_to(root):
        return "outside of the repository"
    if str(found.relative_to(root)).startswith(GENERATED) or f"{found.relative_to(root)}/" in GENERATED:
        return None
    if not found.exists():
        return "no such file"
    if anchor and found.suffix == ".md":
        if found not in anchors:
            anchors[found] = find_anchors(found)
        if anchor not in anchors[found]:
            return "no such heading"
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    anchors, count, broken = {}, 0, 0
    pages = find_pages(root)
    for path in pages:
        for number, target in find_links(path):
            count += 1
            wrong = what_is_wrong(root, path, target, anchors)
            if wrong:
                broken += 1
                print(f"{path.relative_to(root)}:{number}: {target}: {wrong}")
    print(f"{len(pages)} pages, {count} links, {broken} broken")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
