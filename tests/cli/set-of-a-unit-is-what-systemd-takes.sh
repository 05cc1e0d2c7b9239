#!/bin/bash
. "$(dirname "$0")/cli.sh"

# The values that systemd takes from a key: an empty assignment removes those before.
effective() { # KEY
	runs 0 "$PLYFS" cat "${layers[@]}" a.service
	sed -n "s/^$1=//p" out | awk '$0 == "" { n = 0; next } { a[n++] = $0 } END { for (i = 0; i < n; i++) printf "%s ", a[i] }'
}

# sources FILE=LINES...: these are all sources, each with a section [Service].
sources() {
	rm -rf v s
	mkdir -p v/a.service.d s/a.service.d
	for source; do
		printf "[Service]\n${source#*=}\n" >"${source%%=*}"
	done
}

# becomes KEY VALUE WANTED: systemd takes that from the key, and setting it a second time changes nothing.
becomes() {
	local key=$1 name=${1#Service.}
	name=${name%%[*}
	runs 0 "$PLYFS" set "${layers[@]}" a.service "$key" "$2"
	[ "$(effective "$name")" = "$3 " ] || fail "$rule: $key is: $(effective "$name"), not $3; $(head -50 v/*.service* s/* 2>&1)"
	[[ $key != *']' ]] || return 0
	runs 0 "$PLYFS" get "${layers[@]}" a.service "$key"
	[ "$(tail -1 out)" = "$2" ] || fail "get prints: $(cat out)"
	runs 0 "$PLYFS" set "${layers[@]}" a.service "$key" "$2"
	prints 'nothing changes: it is so already'
	[ $rule = whole ] || runs 0 "$PLYFS" explain "${layers[@]}" a.service "$key"
}

each() { # SOURCE... -- KEY VALUE WANTED
	local list=()
	while [ "$1" != -- ]; do
		list+=("$1")
		shift
	done
	sources "${list[@]}"
	becomes "${@:2}"
}

main='v/a.service=' low='v/a.service.d/50-a.conf=' early='s/a.service.d/10-b.conf=' late='s/a.service.d/60-b.conf='
more='Service.Environment[+]' E=Environment
for rule in whole true uapi; do
	layers=(-l v:s)
	if [ $rule != whole ]; then
		layers=(-c plyfs.yaml)
		printf 'layers: [v, s]\nrules: [{match: "*.service", strategy: deep, dropins: %s}]\n' $rule >plyfs.yaml
	fi

	# Adds one more value: the key is there not at all, once and twice.
	each "$main" -- "$more" B=2 B=2
	each "${main}Type=simple" -- "$more" B=2 B=2
	each "$main$E=A=1" -- "$more" B=2 'A=1 B=2'
	each "$main$E=A=1\n$E=C=1" -- "$more" B=2 'A=1 C=1 B=2'
	each "$main$E=" -- "$more" B=2 B=2
	becomes "$more" C=3 'B=2 C=3'
	# Sets the last value that holds, and a list.
	each "${main}Type=simple" -- Service.Type forking "$([ $rule = whole ] && echo forking || echo simple forking)"
	each "${main}Type=simple\nType=exec" -- Service.Type forking "$([ $rule = whole ] && echo forking || echo simple exec forking)"
	each "$main" -- Service.Type forking forking
	each "${main}ExecStart=/a" -- Service.ExecStart /b /b
	each "$main$E=A=1\n$E=C=1" -- Service.Environment B=2 B=2
	# Assignments of these are joined, too.
	for key in CPUAffinity NUMAMask AllowedCPUs AllowedMemoryNodes CoredumpFilter Delegate ReadOnlyDirectories; do
		each "$main$key=1" -- Service.$key 2 2
	done
	[ $rule != whole ] || continue

	each "$main$E=A=1" "$low$E=C=1" -- "$more" B=2 'A=1 C=1 B=2'
	each "$main" "$low$E=C=1" -- "$more" B=2 'C=1 B=2'
	each "$main" "$low$E=C=1" "$early" -- "$more" B=2 'C=1 B=2'
	each "$main" "$low$E=C=1" "$late" -- "$more" B=2 'C=1 B=2'
	each "$main$E=A=1" "$low$E=C=1" "$late$E=D=1" -- "$more" B=2 'A=1 C=1 D=1 B=2'
	each "$main" "${low}Type=exec" "${early}Type=idle" -- Service.Type forking \
		"$([ $rule = uapi ] && echo idle exec forking || echo exec forking)"
	each "${main}Type=simple" "${low}Type=exec" "${late}Type=idle" -- Service.Type forking 'simple exec forking'
	each "${main}ExecStart=/a" "${low}ExecStart=\nExecStart=/c" -- Service.ExecStart /b /b
	each "${main}ExecStart=/a" "${low}ExecStart=\nExecStart=/c" "${early}ExecStart=\nExecStart=/d" -- Service.ExecStart /b /b
	each "$main$E=A=1" "v/a.service.d/95-z.conf=$E=Z=1" -- "$more" B=2 'A=1 Z=1 B=2'
	each "$low$E=A=1" -- "$more" B=2 'A=1 B=2'

	# Sets one of several values that another layer has.
	each "$main$E=A=1\n$E=C=1" "$late$E=D=1" -- 'Service.Environment[0]' B=2 'B=2 C=1 D=1'
	sources "$main$E=A=1\n$E=C=1" "$late$E=D=1"
	runs 0 "$PLYFS" unset "${layers[@]}" a.service 'Service.Environment[1]'
	[ "$(effective Environment)" = 'A=1 D=1 ' ] || fail "$rule: it is: $(cat out)"

	# Several at once.
	each "${main}Type=simple\n$E=A=1" -- Service.Type exec 'simple exec'
	runs 0 "$PLYFS" set "${layers[@]}" a.service Service.Type=idle "$more=B=2" Service.User=x
	[ "$(effective Type)/$(effective Environment)/$(effective User)" = 'simple idle /A=1 B=2 /x ' ] || fail "$(cat out)"
done

# The report of one more value, and of one that is reset, names that value alone.
sources "$main$E=A=1\nUser=a"
runs 0 "$PLYFS" set "${layers[@]}" a.service "$more" B=2
prints 's/a.service.d/90-set.conf:2: Service.Environment[1]: B=2 (new)'
runs 0 "$PLYFS" set "${layers[@]}" a.service Service.User b
prints 's/a.service.d/90-set.conf:3: Service.User[1]: b (new)'
runs 0 "$PLYFS" reset "${layers[@]}" a.service Service.User
prints 's/a.service.d/90-set.conf: Service.User[1]: removed (was b)'

# No unit can remove a lower layer's value, but an empty assignment takes it back. The message says so, and it works.
sources "$main$E=A=1\n$E=C=1\nUser=a"
for key in Environment User; do
	runs 1 "$PLYFS" unset "${layers[@]}" a.service Service.$key
	grep -q "has no '!delete' to hide it; set it to '', or give the rule the option 'delete', or remove the value there" err
	runs 0 "$PLYFS" set "${layers[@]}" a.service Service.$key ''
	[ -z "$(effective $key)" ] || fail "$key is: $(effective $key)"
done

# The empty assignment in front is counted, and stays.
printf 'layers: [v, s]\nrules: [{match: "*.service", strategy: deep}]\n' >plyfs.yaml
each "${main}ExecStart=/a" -- Service.ExecStart /b /b
cp s/a.service before
for change in 'set Service.ExecStart[0]=/e' 'unset Service.ExecStart[0]'; do
	read -r command key <<<"$change"
	runs 1 "$PLYFS" "$command" "${layers[@]}" a.service "$key"
	says '[0] is the empty value that drops those of the lower layers, and must stay; count from [1]'
	cmp s/a.service before
done
becomes 'Service.ExecStart[1]' /e /e

# No key of a unit is made of brackets.
runs 1 "$PLYFS" set "${layers[@]}" a.service 'Service.Environment[A]' 2
says "there is no 'Service.Environment[A]'; the values of a key are counted from [0], and [+] adds one"

# Sections that stand for one thing each, and [Match], where all values count.
printf '[Match]\nName=a\n[Network]\nDNS=1\nDHCP=no\n' >v/a.network
printf 'layers: [v, s]\nrules: [{match: "*.network", strategy: deep, dropins: uapi}]\n' >plyfs.yaml
runs 0 "$PLYFS" set -c plyfs.yaml a.network Match.Name=b Network.DNS=2 Network.DHCP=yes 'Network.NTP[+]=n'
grep -v '^#' s/a.network.d/90-set.conf >lines
[ "$(tr '\n' ' ' <lines)" = '[Match] Name= Name=b  [Network] DNS= DNS=2 DHCP=yes NTP=n ' ] || fail "it is: $(cat lines)"
