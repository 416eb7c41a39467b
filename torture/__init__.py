"""The adversary: random worlds, queries and damaged files from seeds, and a judge that shares no code with the step."""
