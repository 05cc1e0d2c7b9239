-- documented(): the dictionary merger that cloud-init's documentation gives as its example of a
-- custom merger.
--
--     merge_how: documented(overwrite)+list()+str()
--
-- Two maps become one with the keys of both. If both have a key, it gets the new value with
-- `overwrite`; without it, the two values are merged. If the new value is no map, the old map stays.

local Documented = {}
Documented.__index = Documented

function Documented:new(merger, opts)
  return setmetatable({ merger = merger, overwrite = opts.overwrite }, self)
end

function Documented:on_dict(value, merge_with)
  if kind(merge_with) ~= "dict" then
    return value
  end

  local merged = dict(value)
  for key, new in pairs(merge_with) do
    local old = merged[key]
    if old ~= nil and not self.overwrite then
      merged[key] = self.merger:merge(old, new)
    else
      merged[key] = new
    end
  end
  return merged
end

return Documented
