"""Bodies that fly freely between impacts: `World(method="impulse")`."""
