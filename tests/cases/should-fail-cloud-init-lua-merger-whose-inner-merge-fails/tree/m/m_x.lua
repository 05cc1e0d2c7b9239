local M = {}
function M:on_list(value, with)
  return self.merger:merge('text', { k = 1 })
end
return M
