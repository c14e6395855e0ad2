# ruff: noqa: F403
from .basic import *
from .seeding import *
from .matching import *
from .refined import *
from .bisecting import *
from .prominent import *
