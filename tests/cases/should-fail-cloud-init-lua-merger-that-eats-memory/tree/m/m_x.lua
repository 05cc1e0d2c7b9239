local M = {}
function M:on_list(value)
  local s = 'x'
  while true do s = s .. s end
end
return M
