return { on_list = function() return load('return 1')() end }
