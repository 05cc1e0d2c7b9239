#!/bin/bash
. "$(dirname "$0")/mount.sh"
. "$(dirname "$test_file")/systemd.sh"
start_systemd
printf 'layers: [%s/low]\noptions: {header: false}\n' "$directory" >"$settings"
printf 'a: 1\n' >low/app.yaml
rmdir mnt
inside_shows() { [ "$(inside cat "$directory/mnt/app.yaml" 2>/dev/null)" = "$1" ]; }
inside systemctl start "$unit"
inside_shows 'a: 1'
dump() {
	echo "SLOW at $i $1"
	inside ps -eo pid,ppid,stat,wchan:30,comm,args
	for p in $(inside sh -c 'ls /proc' | grep -E '^[0-9]+$'); do
		echo "== $p $(inside cat /proc/$p/comm) $(inside cat /proc/$p/wchan; inside cat /proc/$p/syscall 2>/dev/null; inside sh -c "cat /proc/$p/task/*/stack" 2>/dev/null)"
	done
	inside systemctl status "$unit" || true
	cat log | tail -5
}
cp "$(dirname "$test_file")/holder.py" holder.py
sed -i 's/assert os.pread.*/pass/' holder.py
inside python3 "$directory/holder.py" "$directory/mnt" "$directory/report" >report.out 2>&1 &
eventually grep -qs '^ready' report
is_taken_over() { inside cat "$directory/mnt/.plyfs/status" | grep -q '"take_over": {"tried": 1}'; }
for ((i = 2; i < $1; i++)); do
	printf "a: $i\n" | replace low/app.yaml
	[ $((RANDOM % 3)) = 0 ] || sleep 0.00$((RANDOM % 10))
	inside timeout 10 systemctl restart "$unit" || { dump restart; exit 1; }
	end=$((SECONDS+10))
	until inside_shows "a: $i"; do [ $SECONDS -lt $end ] || { dump show; exit 1; }; done
	inside timeout 10 systemctl restart "$unit" || { dump restart2; exit 1; }
	grep -q '^failed' report && { cat report; exit 1; }
	if [ $((RANDOM % 2)) = 0 ]; then inside systemctl reload "$unit"; [ $((RANDOM % 2)) = 0 ] || eventually is_taken_over; fi
done
inside systemctl stop "$unit"
