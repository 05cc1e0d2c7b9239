-- What trims, splits and takes apart is quick, however long the text is.
return {
  on_str = function(_, old, new)
    local text = "  " .. (old .. "," .. new .. ","):rep(3000) .. "  "
    local trimmed = text:match("^%s*(.-)%s*$")
    local count = 0
    for word in trimmed:gmatch("[^,]+") do count = count + 1 end
    local lines = trimmed:gsub("([^,%s]+)%s*,", "%1\n")
    local key, value = ("name = " .. lines):match("^(%w+)%s*=%s*(.-)\n")
    return key .. " " .. value .. " " .. count .. " " .. #trimmed
  end,
}
