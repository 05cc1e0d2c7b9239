local M = {}
function M:on_list()
  while true do pcall(function() while true do end end) end
end
return M
