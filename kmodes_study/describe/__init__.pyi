# ruff: noqa: F403
from .profiles import *
from .plots import *
from .cluster_plots import *
from .code_length import *
from .k_scan import *
from .embedding import *
from .saved import *
