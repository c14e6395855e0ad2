"""Builds and installs kmodes_study; every setting is read from settings.ini (edit
there, not here).
"""

import re
from configparser import ConfigParser
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

here = Path(__file__).parent
parser = ConfigParser(delimiters=["="])
parser.read(here / "settings.ini", encoding="utf-8")
settings = parser["DEFAULT"]
url, branch = settings["git_url"], settings["branch"]


def with_whole_links(text):
    "A text whose links and pictures are found from PyPI, too."
    place = {"": f"{url}/blob/{branch}/", "!": f"{url}/raw/{branch}/"}
    relative = re.compile(r"(!?)(\[[^]]*\]\()(?!https?:|#)")
    return relative.sub(lambda found: found[0] + place[found[1]], text)


class BuildWithNotebooks(build_py):
    """Put the result notebooks into the built package, so that `kmodes-study reproduce`
    needs no clone, and the entry for citations; leave nbdev's index out.
    """

    def find_package_modules(self, package, package_dir):
        found = super().find_package_modules(package, package_dir)
        return [module for module in found if module[1] != "_modidx"]

    def run(self):
        super().run()
        if not self.editable_mode:
            package = Path(self.build_lib) / "kmodes_study"
            copytree(
                here / "nbs" / "results",
                package / "notebooks",
                ignore=ignore_patterns("__pycache__", ".ipynb_checkpoints"),
                dirs_exist_ok=True,
            )
            copy(here / "CITATION.cff", package)


setup(
    name=settings["lib_name"],
    version=settings["version"],
    description=settings["description"],
    long_description=with_whole_links((here / "README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
    author=settings["author"],
    author_email=settings["author_email"],
    license="Apache-2.0",
    license_files=["LICENSE"],
    url=url,
    project_urls={
        "Source": url,
        "Issues": f"{url}/issues",
        "Changes": f"{url}/blob/{branch}/CHANGELOG.md",
    },
    keywords=settings["keywords"],
    classifiers=[
        "Development Status :: 4 - Beta",
        f"Intended Audience :: {settings['audience']}",
        "Operating System :: OS Independent",
        *(
            f"Programming Language :: Python :: {version}"
            for version in ("3", "3.11", "3.12", "3.13", "3.14")
        ),
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Typing :: Typed",
    ],
    packages=find_packages(include=["kmodes_study", "kmodes_study.*"]),
    package_data={
        "": ["*.toml", "page.css", "*.html", "*.pyi", "py.typed"],
        "kmodes_study.data": ["tables/README.md", "tables/*/*.xz"],
    },
    python_requires=f">={settings['min_python']}",
    install_requires=settings["requirements"].split(),
    extras_require={
        name: settings[f"{name}_requirements"].split()
        for name in settings["extras"].split()
    },
    entry_points={"console_scripts": settings["console_scripts"].split()},
    cmdclass={"build_py": BuildWithNotebooks},
    zip_safe=False,
)
