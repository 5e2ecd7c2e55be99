"""Reading code for what will not reproduce: rules over the syntax tree, nothing imported or run.

The way of a file: `discovery` finds it, `source` reads it, `module` parses it with the means of
`samebits.core.source`, `engine` hands its nodes to the rules in `rules`, `project` decides what
depends on other files, `suppression` takes out what a person has answered for.
"""
