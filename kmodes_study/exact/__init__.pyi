# ruff: noqa: F403
from .bounds import *
from .optima import *
