"""`abut clearance`: the verdict on an assembly, as a table, as JSON and as a page with pictures."""
