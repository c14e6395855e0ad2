"""What `load` and its relatives give: a Bunch, or with `return_X_y=True` the pair (data, target)."""
from os import PathLike
from typing import Any, Literal, Protocol, TypedDict, Unpack, overload

from sklearn.utils import Bunch

class _Options(TypedDict, total=False):
    subset: str
    as_frame: bool
    missing: str
    names: bool
    id_column: bool
    data_home: str | PathLike[str] | None
    download: bool

@overload
def load(name: str, *, return_X_y: Literal[True], **options: Unpack[_Options]) -> tuple[Any, Any]: ...
@overload
def load(name: str, *, return_X_y: Literal[False] = ..., **options: Unpack[_Options]) -> Bunch: ...
@overload
def load(name: str, *, return_X_y: bool, **options: Unpack[_Options]) -> Any: ...

class _Loader(Protocol):
    @overload
    def __call__(self, *, return_X_y: Literal[True], **options: Unpack[_Options]) -> tuple[Any, Any]: ...
    @overload
    def __call__(self, *, return_X_y: Literal[False] = ..., **options: Unpack[_Options]) -> Bunch: ...
    @overload
    def __call__(self, *, return_X_y: bool, **options: Unpack[_Options]) -> Any: ...

load_soybean_large: _Loader
load_soybean_small: _Loader
load_zoo: _Loader
load_breast_cancer_wisconsin: _Loader
load_mushroom: _Loader
load_voting_records: _Loader
load_nursery: _Loader
load_car: _Loader
load_tic_tac_toe: _Loader
load_balance_scale: _Loader
load_lenses: _Loader
load_iris: _Loader
load_hayes_roth: _Loader
load_audiology: _Loader
load_kr_vs_kp: _Loader
load_splice: _Loader
load_connect_4: _Loader
load_crx: _Loader
load_heart_disease: _Loader
load_adult: _Loader
