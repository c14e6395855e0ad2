"""Small faults put into a copy of the package, one at a time: which of them do the
tests notice?
"""
