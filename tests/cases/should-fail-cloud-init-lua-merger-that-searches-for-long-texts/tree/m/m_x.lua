return { on_list = function() return (('x'):rep(2e6)):find(('x'):rep(2e4) .. 'y', 1, true) end }
