return { on_list = function() while true do select('#', table.unpack({}, 1, 20000)) end end }
