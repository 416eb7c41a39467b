"""When do parts that move touch first, and is a path free?"""
