#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A file in NAME.d is a source of NAME only if it has the name of a drop-in. check and explain report the others, with
# the reason.
mkdir -p v/app.yaml.d s/app.yaml.d v/web.service.d v/motd.d v/sshd_config.d s/lone.yaml.d v/app.rules.d v/deep.d
settings() {
	cat >plyfs.yaml <<-EOF
		layers: [v, s]
		rules:
		  - {match: "*.service", strategy: deep, dropins: $1}
		  - {match: [motd, sshd_config], strategy: concat, dropins: $1}
		  - {match: app.rules, strategy: concat, dropins: $1, dropin_suffixes: [.txt, bak, ""]}
		  - {match: ["*.yaml", "*.json"], strategy: deep, dropins: $1}
		options: {header: false}
	EOF
}
echo 'a: 1' >v/app.yaml
echo 'b: 2' >s/app.yaml.d/50-x.yaml
echo '{"c": 3}' >v/app.yaml.d/60.json
for name in README 50-x.yaml.disabled 50-x.yaml.example a.txt none app.yaml.rpmnew b.yaml.bak a.service .hid.yaml '#a.yaml' yaml; do
	echo 'prose that is no map' >"s/app.yaml.d/$name"
done
printf '[Service]\nA=1\n' >v/web.service
printf '[Service]\nB=2\n' >v/web.service.d/10.conf
for name in README x.service 10.conf.dpkg-old y.ini conf; do
	printf '[Service]\nX=1\n' >"v/web.service.d/$name"
done
echo 'Service: {Y: 1}' >v/web.service.d/x.yaml
for name in motd sshd_config; do
	echo main >v/$name
	echo 10 >v/$name.d/10-plain
	echo 20 >v/$name.d/20.conf
	for other in README 30.disabled 40.sh 50.bak; do
		echo no >v/$name.d/$other
	done
done
echo main >v/app.rules
for name in 1.txt 2.bak 3 4.rules 5.conf; do
	echo "$name" >v/app.rules.d/$name
done
echo prose >s/lone.yaml.d/README

for order in layers uapi; do
	settings $order
	runs 0 "$PLYFS" cat -c plyfs.yaml app.yaml
	[ "$(sort out)" = $'"c": 3\na: 1\nb: 2' ] || fail "$order: app.yaml is $(cat out)"
	runs 0 "$PLYFS" cat -c plyfs.yaml web.service
	if [ $order = uapi ]; then
		prints $'[Service]\nA=1\nB=2'
	else
		prints $'[Service]\nA=1\nB=2\nY=1'
	fi
	for name in motd sshd_config; do
		runs 0 "$PLYFS" cat -c plyfs.yaml $name
		prints $'main\n10\n20'
	done
	runs 0 "$PLYFS" cat -c plyfs.yaml app.rules
	prints $'main\n1.txt\n2.bak\n3'
	runs 1 "$PLYFS" cat -c plyfs.yaml lone.yaml

	runs 0 "$PLYFS" check -c plyfs.yaml
	for name in README 50-x.yaml.disabled 50-x.yaml.example a.txt none app.yaml.rpmnew b.yaml.bak a.service yaml; do
		grep -q "^plyfs: s/app.yaml.d/$name: warning: not a drop-in of app.yaml: its name does not end in .yaml; rename it, or name" err ||
			fail "$order: check does not name $name"
	done
	grep -q "s/app.yaml.d/.hid.yaml: warning: not a drop-in of app.yaml: its name begins with" err
	grep -q "v/motd.d/README: warning: not a drop-in of motd: its name is that of documentation" err
	grep -q "v/motd.d/30.disabled: warning: not a drop-in of motd: its name does not end in .conf" err
	grep -q "v/app.rules.d/4.rules: warning: .* does not end in .txt, .bak or no suffix; " err
	grep -q "s/lone.yaml.d/README: warning: not a drop-in of lone.yaml: " err
	! grep -q '10-plain\|20.conf\|50-x.yaml: \|1.txt' err || fail "$order: a drop-in is named as none"
	runs 1 "$PLYFS" check -W -c plyfs.yaml
	runs 0 "$PLYFS" explain -c plyfs.yaml app.yaml
	grep -q "lost .*s/app.yaml.d/README .*not a drop-in of app.yaml: its name does not end in .yaml" out
	runs 0 "$PLYFS" explain --json -c plyfs.yaml web.service
	grep -q 'web.service.d/README".*"rule": "not a drop-in of web.service: its name does not end in .conf' out
done

# A file that plyfs itself writes is a drop-in, or the write is refused.
settings layers
echo '{"a": 1}' >v/l.json
runs 0 "$PLYFS" unset -c plyfs.yaml l.json a
[ -e s/l.json.d/90-set.yaml ] || fail "unset made no drop-in"
runs 0 "$PLYFS" cat -c plyfs.yaml l.json
prints '{}'
rm -r s/l.json.d
sed -i 's/"\*.json"\], strategy: deep/&, dropin_suffixes: json/' plyfs.yaml
runs 1 "$PLYFS" unset -c plyfs.yaml l.json a
[ ! -e s/l.json.d ] || fail "unset made a file that nothing reads"

# A link in a layer that follows none, and a directory, are not read among the drop-ins either: check and explain say so.
rm -rf v s
mkdir -p v s/avail s/app.yaml.d/sub s/app.yaml.d/empty s/lone.yaml.d s/web.service.d s/other
echo 'a: 1' | tee v/app.yaml >v/far.yaml
echo 'b: 2' | tee s/avail/b.yaml s/app.yaml.d/sub/c.yaml >s/other/o.yaml
printf '[Service]\nA=1\n' | tee v/web.service >s/avail/w.conf
ln -s ../avail/b.yaml s/app.yaml.d/b.yaml
ln -s ../avail/b.yaml s/lone.yaml.d/b.yaml
ln -s ../avail/w.conf s/web.service.d/w.conf
ln -s /dev/null s/web.service.d/masked.conf
ln -s ../other/o.yaml s/app.yaml.d/README
ln -s other s/far.yaml.d
for order in layers uapi; do
	settings $order
	runs 0 "$PLYFS" check -c plyfs.yaml
	for name in app.yaml.d/b.yaml lone.yaml.d/b.yaml web.service.d/w.conf far.yaml.d; do
		grep -q "^plyfs: s/$name: warning: not read as a drop-in of .*: the layer follows no symbolic links; give it 'follow: true'" err ||
			fail "$order: check does not name the link $name"
	done
	grep -q "^plyfs: s/app.yaml.d/sub: warning: not read as a drop-in of app.yaml: a directory; its files must lie in app.yaml.d itself" err
	! grep -q 'masked.conf\|empty' err || fail "$order: $(cat err)"
	runs 0 "$PLYFS" explain -c plyfs.yaml app.yaml
	grep -q "lost .*s/app.yaml.d/b.yaml .*follows no symbolic links" out
	grep -q "lost .*s/app.yaml.d/sub .*a directory" out
	runs 0 "$PLYFS" explain -c plyfs.yaml far.yaml
	grep -q "lost .*s/far.yaml.d .*follows no symbolic links" out
done
sed -i 's/layers: .*/layers: [v, {path: s, follow: true}]/' plyfs.yaml
runs 0 "$PLYFS" check -c plyfs.yaml
! grep -q 'symbolic' err || fail "links that are followed are reported"
