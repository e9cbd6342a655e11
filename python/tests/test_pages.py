"""Executes the Python blocks of the page "Use taut from Python", each in the same namespace, and the doctests of the package.

A block `text` behind one of Python is what that must print."""

import contextlib
import io
import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs/how-to/use-from-python.md"


@pytest.mark.skipif(not PAGE.is_file(), reason="installed without the sources")
def test_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    blocks = re.findall(r"^```(python|text)[^\n]*\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert sum(language == "python" for language, _ in blocks) >= 8
    names, printed = {}, ""
    for language, text in blocks:
        if language == "text":
            assert [line.split() for line in printed.strip().splitlines()] == [line.split() for line in text.strip().splitlines()]
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(text, str(PAGE), "exec"), names)
        printed = out.getvalue()
