# A text as a C string literal, a line each.
s/\\/\\\\/g
s/"/\\"/g
s/.*/"&\\n"/
