#!/bin/sh
# Brings what the tests need besides Python, on Debian as root; elsewhere says what would bring it.
set -eu

wanted=""
need() { # need PACKAGE COMMAND…: the package is wanted unless the command succeeds
    package=$1
    shift
    "$@" >/dev/null 2>&1 || wanted="$wanted $package"
}
has_postgres() { command -v postgres || ls /usr/lib/postgresql/*/bin/postgres; }
has_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
has_font() { fc-list ":lang=$1" | grep -q .; }

need postgresql has_postgres
need redis-server command -v redis-server
need chromium has_chromium
need fontconfig command -v fc-list
need fonts-noto-core has_font hi
need fonts-noto-cjk has_font zh

[ -n "$wanted" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing$wanted"
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 # the tests start servers of their own
    apt-get update -q
    # shellcheck disable=SC2086
    apt-get install -q -y --no-install-recommends $wanted
else
    echo "Not on this machine:$wanted. Tests that need them are skipped. On Debian: sudo apt-get install$wanted"
fi
