return { on_list = function() local d = dict() d.d = d return d end }
