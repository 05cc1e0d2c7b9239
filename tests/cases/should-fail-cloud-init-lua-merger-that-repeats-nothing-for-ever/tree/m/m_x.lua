return { on_list = function() return (''):rep(1 << 60) end }
