#!/bin/bash
# Every command that shows places has those of TOML's keys and values.
. "$(dirname "$0")/cli.sh"

mkdir -p vendor site site/app.toml.d
cat >vendor/app.toml <<-'END'
	title = "app"

	[server]
	port = 0x50
	hosts = ["a", "b"]
	tls.min = 1.2

	[[user]]
	name = "root"
	motd = """
	first
	second
	"""

	[log]
	level = "info"
END
cat >site/app.toml <<-'END'
	since = 1979-05-27 07:32:00Z
	[server]
	port = 8080
	[log.file]
	path = '/var/log'
END
printf 'server: {hosts: !append [c], tls: !delete }\n' >site/app.toml.d/50-site.yaml
printf 'layers: [vendor, site]\nrules: [{match: "*.toml", dropins: true}]\n' >plyfs.yaml

runs 0 "$PLYFS" explain -c plyfs.yaml app.toml
grep -q '^server.port: 8080  *site  *site/app.toml:3:8$' out
grep -q '^  lost  0x50  *vendor  *vendor/app.toml:4:8  *the later value replaces$' out
grep -q '^server.hosts\[2\]: c  *site  *site/app.toml.d/50-site.yaml:1:26$' out
grep -q '^server.tls (gone)  *site  *site/app.toml.d/50-site.yaml:1:35  *the value is deleted$' out
grep -q '^user\[0\].motd: "first\\nsecond\\n"  *vendor  *vendor/app.toml:10:8$' out
grep -q '^since: 1979-05-27 07:32:00Z  *site  *site/app.toml:1:9$' out
runs 0 "$PLYFS" explain -c plyfs.yaml app.toml 'user[name=root].name'
grep -q 'vendor/app.toml:9:8$' out
runs 0 "$PLYFS" explain --json -c plyfs.yaml app.toml since
grep -q '"value": "1979-05-27 07:32:00Z"' out

# A value of the root stands before the tables of the layer below.
runs 0 "$PLYFS" blame -c plyfs.yaml app.toml
sed -E 's/ +[0-9]+\) ?/|/; s/ +/ /' out >lines
diff -u - lines <<-'END'
	-|# Merged by plyfs (deep); edit the sources: vendor/app.toml, site/app.toml, site/app.toml.d/50-site.yaml
	vendor app.toml:1|title = "app"
	site app.toml:1|since = 1979-05-27 07:32:00Z
	-|
	vendor app.toml:3|[server]
	site app.toml:3|port = 8080
	vendor app.toml:5|hosts = ["a", "b", "c"]
	-|
	vendor app.toml:8|[[user]]
	vendor app.toml:9|name = "root"
	vendor app.toml:10|motd = """
	vendor app.toml:11|first
	vendor app.toml:12|second
	vendor app.toml:13|"""
	vendor app.toml:14|
	vendor app.toml:15|[log]
	vendor app.toml:16|level = "info"
	-|
	site app.toml:4|[log.file]
	site app.toml:5|path = '/var/log'
END
runs 0 "$PLYFS" diff -c plyfs.yaml app.toml
grep -q '^+hosts = \["a", "b", "c"\]$' out

# An error is shown with its line; for a key that comes twice, with both places.
printf '[server]\nport = 1\nhost = "a"\nport = 2\n' >site/app.toml
runs 1 "$PLYFS" check -c plyfs.yaml
diff -u - err <<-'END'
	plyfs: site/app.toml:4:1: "port" is there already, at line 2, column 1; a key must not come twice
	    port = 2
	    ^
END
printf 'server: {tls: ~}\n' >site/app.toml.d/50-site.yaml
rm site/app.toml
runs 1 "$PLYFS" check -c plyfs.yaml app.toml
grep -q '^plyfs: site/app.toml.d/50-site.yaml:1:15: TOML has no null; ' err

# Any format to any other.
runs 0 "$PLYFS" merge --to yaml vendor/app.toml
grep -q '^  port: 0x50$' out
runs 0 "$PLYFS" merge --to json vendor/app.toml
grep -q '^    "port": 80,$' out
printf '{"a": {"b": [1, 2]}}' >in.json
runs 0 "$PLYFS" merge --to toml in.json
prints $'[a]\nb = [\n  1,\n  2,\n]'
