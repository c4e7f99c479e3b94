mkdir -p "$OUT/ghcc"
for tool in gcc cc clang; do
real=$(command -v "$tool") || continue
cat > "$OUT/ghcc/$tool" <<END
#!/bin/bash
words=() libraries=() next=
for word; do
  if [ -n "\$next" ]; then libraries+=("-l\$word"); next=; continue; fi
  case "\$word" in
  -Wall|-Werror|-Werror=*|-Wextra|-march=*|-mtune=*|-mabi=*|-mlittle-endian|-flto|-flto=*|-ggdb*|-O|-O[0-9sgz]|-Ofast) ;;
  -l) next=yes ;;
  -l*) libraries+=("\$word") ;;
  *) words+=("\$word") ;;
  esac
done
$real "\${words[@]}" -O0 -g "\${libraries[@]}"
code=\$?
[ \$code = 0 ] || [ \${#libraries[@]} = 0 ] || echo "\${libraries[*]}" >> "$OUT/ghcc/failed-libraries"
exit \$code
END
chmod 755 "$OUT/ghcc/$tool"
done
printf '#!/bin/bash\nwhile [[ ${1:-} == -* ]]; do shift; done\nexec "$@"\n' > "$OUT/ghcc/sudo"
real=$(command -v pkg-config || echo /bin/false)
cat > "$OUT/ghcc/pkg-config" <<END
#!/bin/bash
$real "\$@"
code=\$?
[ \$code = 0 ] || echo "\$*" >> "$OUT/ghcc/failed-modules"
exit \$code
END
chmod 755 "$OUT/ghcc/sudo" "$OUT/ghcc/pkg-config"
