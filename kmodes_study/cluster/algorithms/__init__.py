"""The algorithms, each in a module that has its name. `kmodes_study.cluster` offers
their functions.
"""
