# ruff: noqa: F403
from .profiles import *
from .plots import *
from .cluster_plots import *
from .description_length import *
from .choice_of_k import *
from .embedding import *
