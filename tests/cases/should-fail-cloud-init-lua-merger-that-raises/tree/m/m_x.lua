local M = {}
function M:on_list(value, merge_with)
  error('no lists today')
end
return M
