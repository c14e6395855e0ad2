# ruff: noqa: F403
from .sets import *
from .files import *
from .loaders import *
from .computed import *
from .synthetic import *
from .parts import *
from .code_files import *
