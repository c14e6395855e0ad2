"""Thousands of generated calls of the public functions, each judged: `make fuzz`, or
`python -m fuzz --help` here.
"""
