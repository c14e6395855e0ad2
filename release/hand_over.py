"""Fills what others need for a release with what settings.ini says: the version, the
addresses, the requirements, and the sum of the source distribution. `make release`
runs it; the files lie in dist/.
"""

import hashlib
from configparser import ConfigParser
from pathlib import Path

here = Path(__file__).parent
dist = here.parent / "dist"
parser = ConfigParser(delimiters=["="])
parser.read(here.parent / "settings.ini", encoding="utf-8")
settings = parser["DEFAULT"]
(source,) = dist.glob("*.tar.gz")
needs = [need.replace(">=", " >=") for need in settings["requirements"].split()]
values = dict(
    VERSION=settings["version"],
    GIT_URL=settings["git_url"],
    USER=settings["user"],
    SHA256=hashlib.sha256(source.read_bytes()).hexdigest(),
    REQUIREMENTS="\n    - ".join(needs),
)
for name in "recipe.yaml", "related_projects.patch":
    text = (here / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"<{key}>", value)
    (dist / name).write_text(text, encoding="utf-8")
    print("dist/" + name)
if ".example" in settings["git_url"]:
    print("settings.ini still has placeholders: true addresses come before the tag")
