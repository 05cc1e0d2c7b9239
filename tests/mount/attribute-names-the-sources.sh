#!/bin/bash
. "$(dirname "$0")/mount.sh"

need getfattr
sources() { attribute "$1" user.plyfs.sources; }
become() { [ "$(sources "$1")" = "$2" ]; }
ends_in_ellipsis() { [[ $(sources mnt/all.yaml) == *:… ]]; }

mkdir -p low/conf.d high/conf.d low/app.yaml.d low/hosts low/roles low/d
echo 'a: 1' | tee low/app.yaml high/app.yaml low/one.yaml low/conf.d/{1,2}.yaml \
	high/conf.d/1.yaml low/roles/web.yaml >/dev/null
echo 'b: 1' >low/app.yaml.d/10.yaml
echo text | tee low/motd high/motd >/dev/null
echo '_merge: web' >low/hosts/www.yaml
echo 'a: [' >low/bad.yaml
echo 'a: 1' >high/bad.yaml
ln -s one.yaml low/link
truncate -s 20M low/large
odd=$'a:b\\c\nd.yaml'
echo 'a: 1' >low/"$odd"
cat >plyfs.yaml <<-'END'
	layers: [low, high]
	rules:
	  - {match: app.yaml, dropins: true}
	  - {match: hosts/*, strategy: pillar}
	files:
	  - {path: all.yaml, from: conf.d/*.yaml}
END
start -c plyfs.yaml mnt

become mnt/app.yaml "$PWD"/low/app.yaml:"$PWD"/low/app.yaml.d/10.yaml:"$PWD"/high/app.yaml
become mnt/all.yaml "$PWD"/low/conf.d/1.yaml:"$PWD"/low/conf.d/2.yaml:"$PWD"/high/conf.d/1.yaml
become mnt/one.yaml "$PWD"/low/one.yaml
become mnt/motd "$PWD"/high/motd
become mnt/hosts/www.yaml "$PWD"/low/hosts/www.yaml:"$PWD"/low/roles/web.yaml
become mnt/large "$PWD"/low/large
become mnt/bad.yaml "$PWD"/low/bad.yaml:"$PWD"/high/bad.yaml
become mnt/"$odd" "$PWD"/$'low/a\\:b\\\\c\nd.yaml'
for other in mnt/d mnt mnt/.plyfs mnt/.plyfs/status; do
	fails_with 'No such attribute' getfattr -n user.plyfs.sources $other
done
if getfattr -h -n user.plyfs.sources mnt/link 2>/dev/null; then
	fail "a link has an attribute"
fi
names=$(getfattr --absolute-names -m - mnt/app.yaml | grep -v '^#' | sort | xargs)
[ "$names" = "user.plyfs.layers user.plyfs.sources user.plyfs.strategy" ] || fail "the attributes are: $names"
fails_with 'No such attribute' getfattr -n user.other mnt/app.yaml
fails_with 'Read-only' setfattr -n user.plyfs.layers -v x mnt/app.yaml
for file in app.yaml:low:high:deep one.yaml:low:deep motd:high:last; do
	[ "${file%%:*}:$(attribute "mnt/${file%%:*}" user.plyfs.layers):$(attribute "mnt/${file%%:*}" user.plyfs.strategy)" = $file ]
done

# The same bytes may later come from other sources; the attribute stays true.
inode=$(stat -c %i mnt/one.yaml)
echo 'a: 1' >high/one.yaml
eventually become mnt/one.yaml "$PWD"/low/one.yaml:"$PWD"/high/one.yaml || fail "they are $(sources mnt/one.yaml)"
[ "$(stat -c %i mnt/one.yaml)" = "$inode" ] || fail "the same bytes are another file"
[ "$(attribute mnt/one.yaml user.plyfs.layers)" = low:high ]
rm low/one.yaml
eventually become mnt/one.yaml "$PWD"/high/one.yaml || fail "they are $(sources mnt/one.yaml)"

# More than an attribute can hold.
long=$(printf 'x%.0s' {1..200})
for i in {1000..1400}; do echo "k: $i" >low/conf.d/$long$i.yaml; done
eventually ends_in_ellipsis || fail "they end in $(sources mnt/all.yaml | tail -c 50)"
[ "$(sources mnt/all.yaml | wc -c)" -le 60003 ]

# Another rule that gives the same bytes makes no version, but the attribute names the new rule's strategy.
inode=$(stat -c %i mnt/motd)
sed -i 's/rules:/&\n  - {match: motd, strategy: concat}/; s/, high\]/]/' plyfs.yaml
has_strategy() { [ "$(attribute mnt/motd user.plyfs.strategy)" = "$1" ]; }
eventually has_strategy concat || fail "the strategy is: $(attribute mnt/motd user.plyfs.strategy)"
[ "$(stat -c %i mnt/motd)" = "$inode" ] || fail "the same bytes are another version"
