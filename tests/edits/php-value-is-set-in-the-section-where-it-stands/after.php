[PHP]
; limit
memory_limit = 1G ; small

[Session]
session.name = T
new = n

[PATH=/x]
memory_limit = 1M
