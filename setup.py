"""Builds and installs kmodes_study; every setting is read from settings.ini (edit there, not here)."""
from configparser import ConfigParser
from pathlib import Path
from shutil import copytree

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

here = Path(__file__).parent
parser = ConfigParser(delimiters=["="])
parser.read(here / "settings.ini", encoding="utf-8")
settings = parser["DEFAULT"]


class BuildWithNotebooks(build_py):
    """Put the result notebooks into the built package, so that `kmodes-study reproduce` needs no clone."""

    def run(self):
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / "kmodes_study" / "notebooks"
            copytree(here / "nbs" / "7_results", target, dirs_exist_ok=True)


setup(
    name=settings["lib_name"],
    version=settings["version"],
    description=settings["description"],
    long_description=(here / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author=settings["author"],
    author_email=settings["author_email"],
    license="Apache-2.0",
    url=settings["git_url"],
    keywords=settings["keywords"],
    packages=find_packages(include=["kmodes_study", "kmodes_study.*"]),
    python_requires=f">={settings['min_python']}",
    install_requires=settings["requirements"].split(),
    extras_require={"dev": settings["dev_requirements"].split()},
    entry_points={"console_scripts": settings["console_scripts"].split()},
    cmdclass={"build_py": BuildWithNotebooks},
    zip_safe=False,
)
