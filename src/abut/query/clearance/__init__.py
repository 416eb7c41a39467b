"""How far apart, or how deep in each other, are all parts of an assembly?"""
