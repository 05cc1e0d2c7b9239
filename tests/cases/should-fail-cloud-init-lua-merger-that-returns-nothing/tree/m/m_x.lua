return { on_list = function() end }
