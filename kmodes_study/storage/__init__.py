"Tables larger than memory, kept as files of codes."

from .code_files import CodeFile, open_codes, write_codes

__all__ = ["CodeFile", "open_codes", "write_codes"]
