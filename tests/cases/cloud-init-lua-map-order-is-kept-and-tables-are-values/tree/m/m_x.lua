return { on_list = function(_, value, with)
  local d = dict(with[1])
  d.new = { 1, 2.5, "yes", true, null, {} , { k = "v", [3] = 1e300 } }
  d.b = nil
  return list { d, #with[1], kind(with), with[1] == d, 1 / 0 }
end }
