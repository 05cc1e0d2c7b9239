memory_limit = 1G
session.name = S
