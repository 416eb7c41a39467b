"""Do two parts meet, where, and do they overlap or only touch?"""
