"""Links that are right for readers of the repository, made right for readers of the site.

``README.md`` and its neighbours are parts of other pages. The pages of experiments are HTML
files beside the Markdown; they are copied to the site as they are, and linked instead of being
offered for download.
"""

import posixpath
import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

PAGES = {
    "../README.md": "index.md",
    "../CONTRIBUTING.md": "contributing.md",
    "../CHANGELOG.md": "changelog.md",
    "results/README.md": "benchmarks.md",
}


def replace_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace links to Markdown files that are no pages of the site."""
    for file, page in PAGES.items():
        source[0] = re.sub(rf"\]\({re.escape(file)}", f"]({page}", source[0])


class ResultLinks(SphinxTransform):
    """Replace downloads of result pages by links to them."""

    default_priority = 5

    def apply(self, **kwargs: Any) -> None:
        """Go through the links of a page."""
        for node in list(self.document.findall(download_reference)):
            if node["reftarget"].startswith("results/"):
                here = posixpath.dirname(self.env.docname) or "."
                address = posixpath.relpath(node["reftarget"], here)
                node.replace_self(nodes.reference("", node.astext(), refuri=address))


class NumbersStayWhole(SphinxPostTransform):
    """Keep a number on one line with its sign and its unit."""

    default_priority = 900
    joints = re.compile(r"(?<=[≤≥<>=≠±×]) (?=[\d−])|(?<=\d) (?=[×±%]|(?:[kMG]i?)?B\b|[mµn]?s\b)")

    def run(self, **kwargs: Any) -> None:
        """Go through the text of a page, except what is code."""
        code = (nodes.literal, nodes.literal_block, nodes.doctest_block, nodes.raw, nodes.math)
        for node in list(self.document.findall(nodes.Text)):
            if not isinstance(node.parent, code):
                node.parent.replace(node, nodes.Text(self.joints.sub("\u00a0", node)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register them."""
    app.connect("source-read", replace_links)
    app.add_transform(ResultLinks)
    app.add_post_transform(NumbersStayWhole)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
