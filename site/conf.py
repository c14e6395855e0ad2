"""How Sphinx makes the site from the pages that `stage.py` writes."""

import configparser
from pathlib import Path

from docutils.nodes import SkipNode
from latex2mathml.converter import convert

ROOT = Path(__file__).resolve().parent.parent
settings = configparser.ConfigParser(delimiters=["="])
settings.read(ROOT / "settings.ini")

project = html_title = settings["DEFAULT"]["lib_name"]
version = release = settings["DEFAULT"]["version"]
author = settings["DEFAULT"]["author"]
copyright = settings["DEFAULT"]["copyright"]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_heading_slug_func = "conf.anchor"
html_theme = "pydata_sphinx_theme"
html_css_files = ["site.css"]
html_js_files = ["copy.js", "film.js"]
html_static_path = [
    str(ROOT / "site" / name) for name in html_css_files + html_js_files
]
# the notebooks as they are stored, to be downloaded
exclude_patterns = ["files/**"]
python_maximum_signature_line_length = 72
html_math_renderer = "mathml"
html_copy_source = False
html_sidebars = {page: [] for page in ("index", "gallery", "bibliography")}
html_show_sourcelink = False
pygments_style = "default"
html_theme_options = dict(
    navbar_align="left",
    header_links_before_dropdown=7,
    show_toc_level=2,
    navigation_depth=3,
    footer_start=["copyright"],
    footer_end=[],
    navbar_persistent=["search-button"],
)


def anchor(heading):
    "The anchor that Jupyter gives to a heading: its words, joined by hyphens."
    return heading.strip().replace(" ", "-")


def formula(display):
    "The visitor of a formula: MathML, which browsers show without help."

    def visit(self, node):
        block = display == "block"
        mathml = convert(node.astext().strip(), display=display)
        self.body.append(f'<div class="formula">{mathml}</div>' if block else mathml)
        raise SkipNode

    return visit


def load_pictures_when_seen(app, pagename, templatename, context, doctree):
    "The gallery has all figures: a browser fetches those that come into sight."
    if pagename == "gallery":
        context["body"] = context["body"].replace("<img ", '<img loading="lazy" ')


def skip_requests(app, kind, name, member, skip, options):
    "scikit-learn's own methods for the routing of metadata are not of this package."
    return skip or name.endswith("_request") or name == "get_metadata_routing"


def setup(app):
    app.connect("autodoc-skip-member", skip_requests)
    app.connect("html-page-context", load_pictures_when_seen)
    app.add_html_math_renderer(
        "mathml", (formula("inline"), None), (formula("block"), None)
    )
