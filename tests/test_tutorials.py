"""The tutorials run as the notebooks that the site offers, and so does the code on its pages."""

import doctest
import json
import re
from pathlib import Path

import nbclient
import nbformat
import pytest
from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

DOCS = Path(__file__).parents[1] / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("script", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs_as_a_notebook_from_top_to_bottom(script, tmp_path):
    _, blocks = split_code_and_text_blocks(script)
    plain = jupyter_notebook(blocks, DEFAULT_GALLERY_CONF, str(script.parent))
    notebook = nbformat.reads(json.dumps(plain), as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) > 3 and any(cell.outputs for cell in code)


def test_the_start_page_leads_to_tutorials_that_exist():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    names = re.findall(r"auto_tutorials/(plot_\w+)", text)
    assert names and {DOCS / "tutorials" / f"{name}.py" for name in names} <= set(TUTORIALS)


@pytest.mark.parametrize("page", ["index.md", "file-formats.md", "classifier.md"])
def test_the_code_on_pages_runs(page):
    failed, tried = doctest.testfile(
        str(DOCS / page),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert tried > 4 and failed == 0
