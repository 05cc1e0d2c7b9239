return { on_list = function() for i = 1, 1e9 do local s = (i * 1e290) .. "" end end }
