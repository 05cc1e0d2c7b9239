local M = {}
function M:on_list(value
end
return M
