local function f(n) return 1 + f(n + 1) end
return { on_list = function() return f(1) end }
