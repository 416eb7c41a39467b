"""In, out, or on which vertex, edge or face? The index of a B-rep, and what it says of points and segments."""
