a = 1
b = "x;y"
c = x#y
d = E_ALL & ~E_NOTICE
