[PHP]
; limit
memory_limit = 128M ; small

[Session]
session.name = S

[PATH=/x]
memory_limit = 1M
