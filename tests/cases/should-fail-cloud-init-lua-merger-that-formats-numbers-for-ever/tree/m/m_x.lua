return { on_list = function() for i = 1, 1e9 do local s = ("%99.99f"):format(1e308) end end }
