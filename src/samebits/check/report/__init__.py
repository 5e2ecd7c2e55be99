"""A verdict made readable: one render-ready model, a panel for people, JSON for programs."""
