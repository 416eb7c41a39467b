"""How far are two parts apart, and where are they nearest?"""
