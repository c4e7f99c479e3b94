//! Pages by way of the box itself: whatever its door allows, and nothing else.

use crate::{
    Page, ToolFailure, World,
    files::{Apart, run_quietly},
};

/// Fetches with what the box has: curl, wget or Python. The box's door sees the request like any other of the box.
pub(super) struct DoorPages;

/// Prints the status, the type and the last address in one line each, then the body.
const SCRIPT: &str = r#"
url=$1 most=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
if command -v curl >/dev/null; then
  curl -sSL --compressed --max-redirs 8 --max-time 60 -A seatrial -o "$work/body" -w '%{http_code}\n%{content_type}\n%{url_effective}\n' -- "$url" >"$work/head" 2>"$work/err"
  code=$?
elif command -v wget >/dev/null; then
  wget -nv --timeout=60 --tries=1 --max-redirect=8 --content-on-error --save-headers -O "$work/both" -- "$url" 2>"$work/err"
  code=$?
  [ "$code" = 8 ] && code=0
  sed -n '1,/^\r*$/p' "$work/both" >"$work/headers"
  sed '1,/^\r*$/d' "$work/both" >"$work/body"
  { sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$work/headers"; sed -n 's/\r$//; s/^[Cc]ontent-[Tt]ype: *//p' "$work/headers" | head -n 1 | grep . || echo; echo "$url"; } >"$work/head"
elif command -v python3 >/dev/null; then
  python3 - "$url" "$work" <<'END' 2>"$work/err"
import sys, urllib.request, urllib.error
url, work = sys.argv[1:]
try:
    answer = urllib.request.urlopen(urllib.request.Request(url, headers={"User-Agent": "seatrial"}), timeout=60)
except urllib.error.HTTPError as error:
    answer = error
except Exception as error:
    sys.stderr.write(str(error)); sys.exit(7)
open(work + "/body", "wb").write(answer.read(1 << 26))
open(work + "/head", "w").write("%s\n%s\n%s\n" % (answer.status if hasattr(answer, "status") else answer.code, answer.headers.get("content-type", ""), answer.geturl()))
END
  code=$?
else
  echo "the box has neither curl, wget nor python3" >&2
  exit 9
fi
if [ "$code" != 0 ]; then head -c 2000 "$work/err" >&2; exit 7; fi
cat "$work/head"
head -c "$most" "$work/body"
"#;

impl DoorPages {
    pub(super) fn fetch(url: &str, most: u64, world: &mut World<'_>) -> Result<Page, ToolFailure> {
        let mut output = Apart::default();
        let time = std::time::Duration::from_secs(90);
        let arguments = [url, &(most + 1).to_string()];
        let execution = run_quietly(SCRIPT, &arguments, time, &mut output, world)?;
        if !execution.succeeded() {
            let why = crate::text::plain(&output.err);
            let why = why.trim();
            return Err(ToolFailure::Told(format!(
                "{url} could not be fetched{}{why}",
                if why.is_empty() { "" } else { ": " }
            )));
        }
        let mut lines = output.out.splitn(4, |byte| *byte == b'\n');
        let mut next = || {
            String::from_utf8_lossy(lines.next().unwrap_or_default())
                .trim()
                .to_owned()
        };
        let (status, content_type, last) = (next(), next(), next());
        let mut body = lines.next().unwrap_or_default().to_vec();
        let cut = body.len() as u64 > most;
        body.truncate(most as usize);
        Ok(Page {
            url: last,
            status: status.parse().unwrap_or(0),
            content_type,
            body,
            cut,
        })
    }
}
