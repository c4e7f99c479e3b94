# What the program needs besides itself: `apt-file` with its lists, and the packages of the libraries that the loader lacks.
apt-get update -q
apt-get install -q -y --no-install-recommends apt-file
apt-file update
needs=apt-file
for library in $(ldd "$PROGRAM" | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | sort -u); do
  package=$(apt-file search --package-only --regexp "/$(printf '%s' "$library" | sed 's/[.+]/\\&/g')\$" | head -n 1)
  [ -n "$package" ] || { echo "no package has $library, which the program needs" >&2; exit 1; }
  needs="$needs $package"
done
apt-get install -q -y --no-install-recommends $needs
"$PROGRAM" --supported-buildsystems >/dev/null
mkdir -p "$(dirname "$NEEDS")"
echo "$needs" >"$NEEDS"
