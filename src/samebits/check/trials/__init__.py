"""All that starts processes to learn something: pairs of runs, causes, variations, proofs."""
