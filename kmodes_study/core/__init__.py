"""What all of the package stands on: checks, tables, codes, kernels. Import the modules
by name.
"""
