# What the program needs besides itself: `apt-file` with its lists, the packages of the libraries that the loader lacks, and
# Breezy, without which it does not start; the release's own is too old for it, so that comes as a wheel, beside the program.
apt-get update -q
apt-get install -q -y --no-install-recommends apt-file
apt-file update
needs="apt-file python3-pip-whl"
for library in $(ldd "$PROGRAM" | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | sort -u); do
  package=$(apt-file search --package-only --regexp "/$(printf '%s' "$library" | sed 's/[.+]/\\&/g')\$" | head -n 1)
  [ -n "$package" ] || { echo "no package has $library, which the program needs" >&2; exit 1; }
  needs="$needs $package"
done
apt-get install -q -y --no-install-recommends $needs
if ! "$PROGRAM" --supported-buildsystems >/dev/null 2>&1; then
  for wheel in /usr/share/python-wheels/pip-*.whl; do
    PYTHONPATH=$wheel python3 -m pip install --quiet --no-compile --only-binary :all: --target "$MODULES" 'breezy>=3.3.6,<4'
  done
  PYTHONPATH=$MODULES "$PROGRAM" --supported-buildsystems >/dev/null
fi
mkdir -p "$(dirname "$NEEDS")"
echo "$needs" >"$NEEDS"
