set +eu
export PATH="$OUT/ghcc:$PATH"
log="$OUT/ghcc/make.log"
end=$((SECONDS + 900))
# What is left of the time for all folders; Make gets a second at least, so that each one is tried.
within() { local left=$((end - SECONDS)); [ $left -gt 0 ] || return 124; timeout --kill-after=10 $left "$@"; }
ulimit -u 256 || true
good=0 bad=0
while IFS= read -r folder; do
  [ -n "$folder" ] || continue
  [ $SECONDS -lt $end ] || { echo "ghcc: the time is over"; break; }
  cd "$SRC/$folder" || continue
  echo "ghcc: $folder"
  if [ -e "$SRC/.git" ]; then
    # The next folder's cleaning would take what this one made.
    (cd "$SRC"; git ls-files -z --others | while IFS= read -r -d '' file; do
      head -c 4 "$file" 2>/dev/null | grep -q ELF && mkdir -p "$OUT/made/$(dirname "$file")" && cp "$file" "$OUT/made/$file"
    done; git reset --hard; git clean -xffd; git submodule foreach --recursive 'git reset --hard; git clean -xffd') \
      >/dev/null 2>&1
  fi
  if [ -e configure.ac ] || [ -e configure.in ]; then
    if [ -e autogen.sh ]; then chmod +x autogen.sh; within ./autogen.sh; else within autoreconf --force --install; fi
  fi
  if [ -e configure ]; then
    chmod +x configure
    begun=$SECONDS
    within ./configure --disable-werror || { [ $((SECONDS - begun)) -gt 2 ] || within ./configure; }
  fi
  within make --keep-going -j1 2>&1 | tee "$log"
  code=${PIPESTATUS[0]}
  if grep -q 'missing separator' "$log"; then within bmake -k -j1; code=$?; fi
  if [ "$code" = 0 ]; then good=$((good + 1)); else bad=$((bad + 1)); fi
done <<< "$folders"
echo "ghcc: $good folders ended well, $bad did not"
[ $good -gt 0 ]
