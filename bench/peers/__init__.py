"""Other engines on the same scenes: what they are given, how they are run, how they are judged."""
