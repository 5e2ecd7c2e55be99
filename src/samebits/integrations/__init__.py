"""Callbacks and plugins for frameworks that keep their own loops.

Each module imports its framework, and nothing here imports a module: what is not used need not be
installed.
"""
