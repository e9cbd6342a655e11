"""Hooks of MkDocs for the site of the documents.

The pages are written for a reader of the repository: links lead to files outside of docs/, and anchors are those that
GitHub makes. Here such files become pages below repository/, headings get the same anchors, and the reference of the C
interface, which Doxygen has made before, is put below reference/c/."""
import os
import pathlib
import re
import urllib.parse

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOXYGEN = ROOT / "build/site/doxygen/c"
LINK = re.compile(r"(\]\(\s*)([^)\s#]+)((?:#[^)\s]*)?(?:\s+\"[^\"]*\")?\s*\))")
HTML_LINK = re.compile(r'((?:src|href)=")([^"#]+)((?:#[^"]*)?")')
LANGUAGES = {".c": "c", ".h": "c", ".cu": "cuda", ".cuh": "cuda", ".cc": "cpp", ".json": "json", ".py": "python", ".sh": "sh",
             ".cmake": "cmake"}
PICTURES = {".svg", ".png", ".jpg", ".gif", ".webp", ".webm", ".mp4"}

seen_slugs = {}
source_of = {}  # place in the repository of the text of generated pages, by their place in the site


def slugify(text, _separator):
    slug = re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]*>", "", text).strip().lower()).replace(" ", "-")
    seen_slugs[slug] = seen_slugs.get(slug, -1) + 1
    return f"{slug}-{seen_slugs[slug]}" if seen_slugs[slug] else slug


def on_config(config):
    config.mdx_configs.setdefault("toc", {})["slugify"] = slugify
    return config


def place_in_site(path):
    """Where a file or folder of the repository is in the site, as a source of MkDocs; None where there is no such file."""
    if not path.exists() or not path.is_relative_to(ROOT):
        return None
    name = path.relative_to(ROOT).as_posix()
    if path.is_relative_to(ROOT / "docs"):
        return (path / "index.md" if path.is_dir() else path).relative_to(ROOT / "docs").as_posix()
    if path.is_dir():
        return f"repository/{name}/index.md"
    return f"repository/{name}" if path.suffix in PICTURES | {".md"} else f"repository/{name}.md"


def locate(source_uri):
    return source_of.get(source_uri, ROOT / "docs" / source_uri)


def resolve(source_uri, target):
    """The file that a link of a page names, or None for one that is none of the repository's."""
    if re.match(r"^(?:[a-z][a-z0-9+.-]*:|/)", target):
        return None
    return pathlib.Path(os.path.normpath(locate(source_uri).parent / urllib.parse.unquote(target)))


def rewrite(markdown, source_uri):
    def relink(match):
        path = resolve(source_uri, match[2])
        place = place_in_site(path) if path else None
        if not place:
            return match[0]
        return match[1] + os.path.relpath(place, os.path.dirname(source_uri) or ".") + match[3]

    parts = re.split(r"(^```.*?^```|`[^`\n]*`)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("`") else LINK.sub(relink, part) for part in parts)


def find_linked(markdown, source_uri):
    for _, target, _ in LINK.findall(markdown) + HTML_LINK.findall(markdown):
        path = resolve(source_uri, target)
        if path and path.exists() and path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "docs"):
            yield path


def show_file(path):
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        rows = [f"- [{item.name}]({item.name})" for item in sorted(path.iterdir()) if not item.name.startswith(".")]
        return f"# {name}\n\n" + "\n".join(rows) + "\n"
    return f"# {path.name}\n\n`{name}`\n\n```{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text(encoding='utf-8')}\n```\n"


def add_linked(files, config, path, waiting):
    place = place_in_site(path)
    if place in source_of:
        return
    source_of[place] = path / "index.md" if path.is_dir() else path
    if path.suffix in PICTURES:
        files.append(File.generated(config, place, abs_src_path=str(path)))
        return
    text = path.read_text(encoding="utf-8") if path.suffix == ".md" else show_file(path)
    files.append(File.generated(config, place, content=text))
    if path.is_dir() or path.suffix == ".md":
        waiting.append((text, place))


def on_files(files, config):
    source_of.clear()
    waiting = [((ROOT / "docs" / file.src_uri).read_text(encoding="utf-8"), file.src_uri) for file in files.documentation_pages()
               if file.inclusion.is_included()]
    while waiting:
        text, source_uri = waiting.pop()
        for path in find_linked(text, source_uri):
            add_linked(files, config, path, waiting)
    for path in sorted(DOXYGEN.rglob("*")):
        if path.is_file():
            files.append(File.generated(config, f"reference/c/{path.relative_to(DOXYGEN).as_posix()}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    seen_slugs.clear()
    return rewrite(re.sub(r"^<!-- docs: .*? -->\n", "", markdown, flags=re.MULTILINE), page.file.src_uri)
