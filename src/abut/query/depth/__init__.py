"""How deep are two parts in each other?"""
