return { on_list = function() setmetatable({}, { __gc = function() end }) end }
