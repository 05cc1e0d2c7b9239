return {
  on_list = function(_, value, with)
    local items = list(with)
    table.sort(items, function(a, b) return a % 10 < b % 10 end)
    local numbers, keys = {}, {}
    for i = 1, 300 do
      numbers[i] = (i * 7919) % 1000
    end
    table.sort(numbers)
    for key in pairs({ b = 1, a = 1, [2] = 1, [1.5] = 1, [true] = 1 }) do
      keys[#keys + 1] = tostring(key)
    end
    return { items, numbers[1], numbers[300], keys }
  end,
}
