# ruff: noqa: F403
from .sets import *
from .files import *
from .loaders import *
from .computed import *
from .synthetic import *
from .questionnaires import *
