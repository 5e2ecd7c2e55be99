"""Tools for hourly tide gauge records."""
