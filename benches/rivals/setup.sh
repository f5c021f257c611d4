#!/bin/sh
# Installs the programs that run.py measures on a Debian machine (as root); what does not install is named at the end.
#   SITU_PEERS=DIR   where the Python environment goes (default: situ-peers under the system's temporary directory)
# Then:  "$SITU_PEERS/bin/python" benches/rivals/run.py
set -u
HOME_OF_PEERS=${SITU_PEERS:-${TMPDIR:-/tmp}/situ-peers}
MISSING=
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq
  for p in gcc make cmake python3-venv python3-dev libsundials-dev libsuitesparse-dev; do
    apt-get install -y -qq --no-install-recommends $p >/dev/null 2>&1 || MISSING="$MISSING $p"
  done
fi
# IDA again from Debian's source package, optimised: the packaged libraries take 2.5 to 4.5 times as long.
build_ida() (
  set -e
  W=$(mktemp -d); cd "$W"
  mkdir -p lists/partial
  for f in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    [ -f $f ] && sed 's/^Types: deb$/Types: deb-src/; s/^deb /deb-src /' $f > "src.${f##*.}" && break
  done
  O="-o Dir::Etc::sourcelist=$W/$(ls src.*) -o Dir::Etc::sourceparts=- -o Dir::State::lists=$W/lists"
  apt-get $O update -qq
  apt-get $O source -qq --download-only sundials
  mkdir s; tar -xf sundials_*.orig.tar.* -C s --strip-components=1
  OFF=
  for p in ARKODE CVODE CVODES IDAS KINSOL; do OFF="$OFF -DBUILD_$p=OFF"; done
  cmake -S s -B b -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-O3 -march=native" -DBUILD_SHARED_LIBS=OFF -DBUILD_IDA=ON $OFF \
    -DEXAMPLES_ENABLE_C=OFF -DEXAMPLES_INSTALL=OFF -DENABLE_KLU=ON -DKLU_INCLUDE_DIR=/usr/include/suitesparse \
    -DKLU_LIBRARY_DIR="$(dirname "$(gcc -print-file-name=libklu.so)")" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$HOME_OF_PEERS/sundials"
  make -C b -j2 install
  cd /; rm -rf "$W"
)
python3 -m venv "$HOME_OF_PEERS" && "$HOME_OF_PEERS/bin/pip" -q install -U pip wheel
for p in numpy scipy casadi pydiffsol jitcdde; do
  "$HOME_OF_PEERS/bin/pip" -q install $p || MISSING="$MISSING $p"
done
(build_ida) >"$HOME_OF_PEERS/sundials.log" 2>&1 || MISSING="$MISSING IDA-at-O3(the-packaged-one-is-used)"
[ -z "$MISSING" ] && echo "all programs are in place" || echo "not installed, skipped:$MISSING"
