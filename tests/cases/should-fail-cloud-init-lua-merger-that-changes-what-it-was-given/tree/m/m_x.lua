return { on_list = function(_, value) value[1] = 5 return value end }
