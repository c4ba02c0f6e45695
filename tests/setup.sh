#!/bin/sh
# Installs what building and testing libautocdc need.
#
#   tests/setup.sh build     compiler, headers, shell: make, make demo, make test
#   tests/setup.sh all       clang, clang's sanitizers and valgrind besides: .ci/run
#   tests/setup.sh --check   installs nothing; complains and exits 1 if the
#                            build lacks something
#
# Does nothing when all is there.  On Debian and Ubuntu it says what it
# installs and installs it (as root or with sudo); elsewhere it prints the
# exact line to run and exits 1.

want=${1:-build}
CC=${CC:-cc}
PKG_CONFIG=${PKG_CONFIG:-pkg-config}
oldest=3.40.1

lacks_build() {
  command -v "${CC%% *}" >/dev/null 2>&1 || echo "a C compiler ($CC)"
  command -v make >/dev/null 2>&1 || echo make
  if command -v "${PKG_CONFIG%% *}" >/dev/null 2>&1; then
    $PKG_CONFIG --exists sqlite3   || echo "the headers of SQLite"
    $PKG_CONFIG --exists libcjson   || echo "the headers of cJSON"
    $PKG_CONFIG --exists libpcre2-8 || echo "the headers of PCRE2"
  else
    echo pkg-config
  fi
}

lacks_test() {
  command -v sqlite3 >/dev/null 2>&1 || echo "the sqlite3 shell"
  command -v python3 >/dev/null 2>&1 || echo python3
}

lacks_all() {
  command -v clang >/dev/null 2>&1    || echo clang
  command -v valgrind >/dev/null 2>&1 || echo valgrind
}

joined() { printf '%s' "$1" | tr '\n' ',' | sed 's/,/, /g'; }

case $want in
  --check) lacking=$(lacks_build) ;;
  build)   lacking=$(lacks_build; lacks_test) ;;
  all)     lacking=$(lacks_build; lacks_test; lacks_all) ;;
  *)       echo "usage: tests/setup.sh build|all|--check" >&2; exit 2 ;;
esac

apt="build-essential pkg-config libsqlite3-dev libcjson-dev libpcre2-dev sqlite3 python3"
dnf="gcc make pkgconf-pkg-config sqlite-devel cjson-devel pcre2-devel sqlite python3"
zyp="gcc make pkgconf-pkg-config sqlite3-devel cJSON-devel pcre2-devel sqlite3 python3"
pac="base-devel sqlite cjson pcre2 python"
apk="build-base bash pkgconf sqlite-dev cjson-dev pcre2-dev sqlite python3"
brw="pkg-config sqlite cjson pcre2 python3"
if [ "$want" = all ]; then
  apt="$apt clang valgrind"; dnf="$dnf clang valgrind"; zyp="$zyp clang valgrind"
  pac="$pac clang valgrind"; apk="$apk clang valgrind"; brw="$brw llvm"
fi

# The line that installs everything here; empty if the system is unknown.
if   command -v apt-get >/dev/null 2>&1; then line="apt-get install -y $apt"
elif command -v dnf     >/dev/null 2>&1; then line="dnf install -y $dnf"
elif command -v zypper  >/dev/null 2>&1; then line="zypper install -y $zyp"
elif command -v pacman  >/dev/null 2>&1; then line="pacman -S --needed $pac"
elif command -v apk     >/dev/null 2>&1; then line="apk add $apk"
elif command -v brew    >/dev/null 2>&1; then
  line="brew install $brw && export PKG_CONFIG_PATH=\"\$(brew --prefix sqlite)/lib/pkgconfig:\$PKG_CONFIG_PATH\""
else line=
fi
case $line in brew*|"") sudo= ;; *) if [ "$(id -u)" = 0 ]; then sudo=; else sudo="sudo "; fi ;; esac

if [ -n "$lacking" ]; then
  if [ -z "$line" ]; then
    echo "libautocdc needs: $(joined "$lacking"). Install them with your system's package manager." >&2
    exit 1
  fi
  can_install=
  case $line in apt-get*)
    if [ "$(id -u)" = 0 ]; then can_install=1
    elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then can_install=1
    fi ;;
  esac
  if [ "$want" = --check ] || [ -z "$can_install" ]; then
    echo "libautocdc needs: $(joined "$lacking"). Run:" >&2
    echo "  $sudo$line" >&2
    if [ "$want" = --check ] && [ "${line#apt-get}" != "$line" ]; then
      echo "or: make setup" >&2
    fi
    exit 1
  fi
  echo "Missing: $(joined "$lacking"). Installing with: $sudo$line"
  export DEBIAN_FRONTEND=noninteractive
  ${sudo}apt-get update -qq >/dev/null || echo "apt-get update failed; trying with the lists that are there" >&2
  if ! ${sudo}env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $apt >/dev/null; then
    echo "The installation failed. Run it by hand to see why:" >&2
    echo "  $sudo$line" >&2
    exit 1
  fi
fi

if ! $PKG_CONFIG --atleast-version=$oldest sqlite3; then
  echo "libautocdc needs SQLite $oldest or newer; the headers here are $($PKG_CONFIG --modversion sqlite3)." >&2
  echo "Debian 12, Ubuntu 24.04 and newer have it. With a newer SQLite elsewhere, run:" >&2
  echo "  PKG_CONFIG_PATH=<its folder>/lib/pkgconfig make" >&2
  exit 1
fi
