; b
extension = b
extension = c
x = 1
