"""The smooth surfaces that triangles stand for, and how far they lie from them."""
