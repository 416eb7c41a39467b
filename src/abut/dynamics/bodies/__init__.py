"""Bodies by themselves: their handles, their inertia, their free motion, the hands that hold them."""
