"""Reading and rewriting Python source, for lint, for fixes and for the line to blame."""
