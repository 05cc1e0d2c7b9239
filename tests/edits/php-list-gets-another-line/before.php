extension = a
; b
extension = b
x = 1
