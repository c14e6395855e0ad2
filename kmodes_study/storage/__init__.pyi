# ruff: noqa: F403
from .parts import *
from .code_files import *
