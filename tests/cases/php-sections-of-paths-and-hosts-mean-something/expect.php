a = 1

[PATH=/www]
a = 5
b = 3

[HOST=x]
a = 4
