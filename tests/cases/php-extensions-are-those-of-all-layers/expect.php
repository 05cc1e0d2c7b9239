extension = a
extension = b
extension = c
zend_extension = o
x[] = 1
x[] = 2
x[] = 3
