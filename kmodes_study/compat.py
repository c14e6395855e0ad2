"The names of the package `kmodes`; see `kmodes_study.cluster.compat`."
from .cluster.compat import *
