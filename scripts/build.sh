# shellcheck shell=bash disable=SC2034
# Sourced by the scripts: packages and functions for a build.

# All packages that plyfs and its tests can be built with.
packages=(build-essential pkg-config meson ninja-build libyaml-dev libfuse3-dev fuse3 liblua5.4-dev
	libcurl4-openssl-dev libgmime-3.0-dev libpcre2-dev libidn2-dev libseccomp-dev libcmocka-dev inotify-tools attr git
	json-schema-test-suite procps python3 python3-jsonschema python3-tomli python3-tomlkit python3-yaml scdoc)
packages_for_sanitizers=(clang libclang-rt-dev lld)
features=(-Dlua=enabled -Dmime=enabled -Dmirror=enabled -Dpcre2=enabled -Didn=enabled -Dsandbox=enabled -Dtests=enabled -Ddocs=enabled)

# need_packages PACKAGE...: installs the Debian packages that are missing, and only those.

explain_packages() {
	echo "These Debian packages are missing: $*" >&2
	echo "Install them, and run this again:  apt-get install $*" >&2
	exit 1
}

need_packages() {
	local package missing=() run=() log

	# On other systems than Debian, meson reports what is missing.
	command -v dpkg-query >/dev/null || return 0
	for package; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0

	if [ "$(id -u)" -ne 0 ]; then
		# -n: a password prompt might wait for ever.
		sudo -n true 2>/dev/null || explain_packages "${missing[@]}"
		run=(sudo -n)
	fi
	run+=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
	echo "installing: ${missing[*]}"
	log=$(mktemp)
	if ! { "${run[@]}" update && "${run[@]}" install --yes --no-install-recommends "${missing[@]}"; } \
		</dev/null >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		explain_packages "${missing[@]}"
	fi
	rm -f "$log"
}

# configure DIRECTORY ARGUMENT...: runs meson setup, also for a directory that exists. Quiet unless it fails.
configure() {
	local directory=$1 again=() log
	shift

	[ ! -e "$directory/meson-private/coredata.dat" ] || again=(--reconfigure)
	log=$(mktemp)
	if ! meson setup "$directory" "${again[@]}" "$@" </dev/null >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		exit 1
	fi
	rm -f "$log"
}

# configure_with_sanitizers DIRECTORY ARGUMENT...: with AddressSanitizer and UndefinedBehaviorSanitizer. clang's take half
# the time of gcc's to start and end a program, and the tests start thousands. More optimization and debugging information
# would double the time that the build takes, and the tests would hardly be faster. Backtraces have file and line all
# the same. lld takes half the time of the usual linker, for hundreds of programs.
configure_with_sanitizers() {
	CC=clang configure "$1" --werror -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Dc_args=-g1 \
		-Dc_link_args=-fuse-ld=lld "${features[@]}" "${@:2}"
}

# build DIRECTORY [TARGET...]: on a terminal ninja shows its progress; elsewhere only failures and warnings are shown.
build() {
	local log
	if [ -t 1 ]; then
		ninja -C "$@" </dev/null || exit 1
		return
	fi
	log=$(mktemp)
	if ! ninja -C "$@" </dev/null >"$log" 2>&1; then
		grep -v '^\[[0-9]*/[0-9]*\]' "$log" >&2
		rm -f "$log"
		exit 1
	fi
	grep -A8 'warning:' "$log" || true
	rm -f "$log"
}

# build_release SOURCE: builds plyfs for a demonstration; `binary` is the command then.
build_release() {
	(
		cd "$1"
		need_packages build-essential pkg-config meson ninja-build libyaml-dev libfuse3-dev fuse3 \
			libcurl4-openssl-dev liblua5.4-dev libgmime-3.0-dev libpcre2-dev libidn2-dev libseccomp-dev inotify-tools
		echo "building plyfs in build-release (two to five minutes the first time)"
		configure build-release --buildtype=release -Dtests=disabled -Ddocs=disabled
		build build-release
	)
	binary=$(realpath "$1/build-release/cli/plyfs")
	[ -e /dev/fuse ] || {
		echo "There is no /dev/fuse, so nothing can be mounted. Try 'modprobe fuse'; a container needs" >&2
		echo "'--device /dev/fuse --cap-add SYS_ADMIN'." >&2
		exit 1
	}
}
