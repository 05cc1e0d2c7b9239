return { on_list = function() return io.open('/etc/passwd') end }
