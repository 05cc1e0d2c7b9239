return { on_list = function() return (('a'):rep(20000)):find('.-.-.-.-b') end }
