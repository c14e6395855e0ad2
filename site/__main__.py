"""`python site` writes the pages of the site and has Sphinx make them: no network, and
a warning is an error.
"""

import sys
from pathlib import Path

from sphinx.cmd.build import main

from reference import ROOT
from stage import stage

output = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site")
stage(output / "pages")
folders = [
    "-c",
    str(ROOT / "site"),
    "-d",
    str(output / "doctrees"),
    str(output / "pages"),
    str(output / "html"),
]
# -E: all pages anew. Of pages that were made before, Sphinx forgets the entries of the
# index, which the search needs.
sys.exit(main(["-E", "-b", "html", "-W", "--keep-going", "-q", "-j", "2", *folders]))
