"""What a run did: the run folder, its schema, its writer and its reader.

`schema` fixes names and column types, `manifest` the facts about a run, `seal` the checksums that
make damage visible, `writer` and `reader` the two ends. The format is described in
docs/file-format.md.
"""
