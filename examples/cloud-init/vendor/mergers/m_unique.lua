-- unique(): a list merger that keeps items unique.
--
--     merge_how: unique()+dict(recurse_list)+str()
--
-- The old list stays as it is. Those items of the new list that are not in it yet are added behind
-- it, each once. With unique(prepend) they are added in front.

local Unique = {}

-- Strings, numbers, booleans and null are keys of a table; maps and lists are compared one by one.
local function is_simple(value)
  local of = kind(value)
  return of ~= "dict" and of ~= "list" and of ~= "other"
end

local function new_set()
  return { simple = {}, others = {} }
end

local function add(set, value)
  if is_simple(value) then
    local had = set.simple[value]
    set.simple[value] = true
    return not had
  end
  for _, other in ipairs(set.others) do
    if other == value then
      return false
    end
  end
  table.insert(set.others, value)
  return true
end

function Unique:on_list(value, merge_with)
  if kind(merge_with) ~= "list" then
    return value
  end

  local seen = new_set()
  for _, item in ipairs(value) do
    add(seen, item)
  end
  local new = list()
  for _, item in ipairs(merge_with) do
    if add(seen, item) then
      table.insert(new, item)
    end
  end

  local first, second = value, new
  if self.opts.prepend then
    first, second = new, value
  end
  local merged = list(first)
  for _, item in ipairs(second) do
    table.insert(merged, item)
  end
  return merged
end

return Unique
