return { on_list = function() error({}) end }
