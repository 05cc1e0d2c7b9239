return { on_list = function() return (('x'):rep(39000)):find('.-y') end }
