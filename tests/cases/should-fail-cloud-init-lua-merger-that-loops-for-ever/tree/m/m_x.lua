local M = {}
function M:on_list()
  while true do end
end
return M
