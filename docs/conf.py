"""Sphinx configuration. `make docs` builds the site in site/, with warnings as errors.

The build needs no network. Two environment variables add what needs a public host:
ATOMLEARN_INTERSPHINX=1 links to the documentation of NumPy, pandas and scikit-learn,
ATOMLEARN_REPOSITORY=https://host/owner/atomlearn links each name to its source there.
"""

import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src"), str(HERE.parent)]

import atomlearn
from figures import figure_scraper
from result_figures import substitutions
from source_links import linkcode_resolve  # noqa: F401

project = "atomlearn"
author = "The atomlearn developers"
copyright = "the atomlearn developers"
version = release = atomlearn.__version__

REPOSITORY = os.environ.get("ATOMLEARN_REPOSITORY", "")
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.linkcode" if REPOSITORY else "sphinx.ext.viewcode",
    "myst_parser",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "repository_links",
    "reference_pages",
    "explorer_pages",
]
if os.environ.get("ATOMLEARN_INTERSPHINX"):
    extensions.append("sphinx.ext.intersphinx")
intersphinx_mapping = {
    "python": ("https://docs.python.org/3", None),
    "numpy": ("https://numpy.org/doc/stable", None),
    "pandas": ("https://pandas.pydata.org/docs", None),
    "sklearn": ("https://scikit-learn.org/stable", None),
}

exclude_patterns = [
    "results/README.md",  # for readers of the repository
    "_ext",
    "tutorials",  # sources of auto_tutorials
    "gallery",
    "**/GALLERY_HEADER.rst",
]
suppress_warnings = [
    "config.cache",  # functions in the configuration of the gallery cannot be pickled
    "myst.xref_ambiguous",
]
nitpicky = False
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_block", "substitution"]
myst_substitutions = substitutions()
myst_heading_anchors = 3

templates_path = ["_templates"]
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
sphinx_gallery_conf = {
    "examples_dirs": ["tutorials", "gallery"],
    "gallery_dirs": ["auto_tutorials", "auto_gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "figures.BestFirst",
    "image_scrapers": (figure_scraper, "matplotlib"),
    "doc_module": ("atomlearn",),
    "backreferences_dir": "reference/backreferences",
    "reference_url": {"atomlearn": None},
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 5,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "copyfile_regex": r".*\.(csv|rel|txt)$",
    "reset_argv": lambda conf, script: [],
}

highlight_language = "none"  # what has no language is a command, or what one prints

html_theme = "pydata_sphinx_theme"
html_title = "atomlearn"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navigation_depth": 2,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "benchmarks": []},
    "footer_start": ["copyright"],
    "footer_end": [],
}
if REPOSITORY.startswith("https://github.com/"):
    html_theme_options["github_url"] = REPOSITORY
html_sidebars = {"index": [], "changelog": []}

linkcheck_ignore = [r"https://doi\.org/"]
linkcheck_timeout = 20
