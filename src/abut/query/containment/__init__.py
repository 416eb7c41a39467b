"""Which points lie inside a part?"""
