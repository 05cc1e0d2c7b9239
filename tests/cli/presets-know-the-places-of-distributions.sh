#!/bin/bash
. "$(dirname "$0")/cli.sh"

# A preset holds for the files of its program wherever a distribution puts them, and whichever directory is the layer.
PLYFS_PRESETS=$(cd "$(dirname "$0")/../../data/presets" && pwd)
export PLYFS_PRESETS
holds() { # PRESET KEY PATH...: the key is a list of both layers
	local preset=$1 key=$2 path
	shift 2
	printf 'layers: [v, s]\npresets: [%s]\noptions: {header: false}\n' "$preset" >plyfs.yaml
	for path; do
		rm -rf v s
		mkdir -p "v/$(dirname "$path")" "s/$(dirname "$path")"
		printf '[mysqld]\n%s = a\n' "$key" >"v/$path"
		printf '[mysqld]\n%s = b\n' "$key" >"s/$path"
		runs 0 "$PLYFS" cat -c plyfs.yaml "$path"
		[ "$(sed -n "s/^$key = //p" out | tr '\n' ' ')" = 'a b ' ] || fail "$preset does not hold for $path: $(cat out)"
	done
}
holds mariadb plugin_load_add my.cnf .my.cnf mysql/my.cnf etc/my.cnf mysql/conf.d/a.cnf mysql/mariadb.conf.d/50-server.cnf \
	mariadb.conf.d/50-server.cnf mysql.conf.d/mysqld.cnf conf.d/a.cnf my.cnf.d/server.cnf etc/my.cnf.d/server.cnf
holds php extension php.ini php/8.2/fpm/php.ini fpm/php.ini 8.2/cli/php.ini etc/php.ini php/8.2/fpm/conf.d/20-a.ini \
	fpm/conf.d/20-a.ini conf.d/20-a.ini mods-available/a.ini php/conf.d/a.ini etc/php.d/20-a.ini php.d/20-a.ini
holds sysctl kernel.panic sysctl.conf etc/sysctl.conf sysctl.d/50-a.conf usr/lib/sysctl.d/50-a.conf
holds postgresql port postgresql.conf postgresql/15/main/postgresql.conf pgsql/data/postgresql.conf \
	postgresql/15/main/conf.d/a.conf
holds haproxy maxconn haproxy.cfg haproxy/haproxy.cfg etc/haproxy/conf.d/10-a.cfg
