error_reporting = E_ALL ^ (E_STRICT|E_NOTICE)
a = "x=1"
b = !x
