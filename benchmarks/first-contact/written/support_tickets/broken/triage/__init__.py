"""Sorting of incoming tickets by urgency."""
