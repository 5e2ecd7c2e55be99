"""Two traces: their alignment, the first divergence, its evident cause, and the verdict."""
