local M = {}
function M:on_list(value, with)
  return self.merger:merge(value, with)
end
return M
