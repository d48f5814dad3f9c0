#!/usr/bin/env bash
# Crash-only: a step does one thing and dies at whatever is not as expected; the loop below starts it again, later each
# time. What was done is in files, so nothing is done twice.
set -uo pipefail
cd "$SANDBOX_RUN_FOLDER"

step() (
  set -euo pipefail
  if ! [ -s token ]; then
    curl -sSf -m 5 -o token.json "$SANDBOX_TOKEN_URL" -d grant_type=client_credentials -d scope=booking.read -d "audience=$SANDBOX_URL" \
      -d "client_id=$SANDBOX_CLIENT_ID" --data-urlencode "client_secret=$SANDBOX_CLIENT_SECRET"
    jq -er .access_token token.json > token
  fi
  cursor=$(cat cursor 2> /dev/null || true)
  status=$(curl -sS -m 6 -G -o page.json -D head -w '%{http_code}' -H "Authorization: Bearer $(cat token)" "$SANDBOX_URL/v1/bookings" \
    -d limit=50 ${cursor:+--data-urlencode "cursor=$cursor"})
  case $status in
    200) ;;
    401) rm token; exit 1 ;;
    429 | 503) awk 'tolower($1) == "retry-after:" { print $2 + 0 }' head > wait; exit 1 ;;
    *) touch gave-up; echo "HTTP $status" >&2; exit 1 ;;
  esac
  jq -r '.items[] | [.id, .status] | @tsv' page.json > "page-$(ls page-* 2> /dev/null | wc -l)"
  jq -r '.next // ""' page.json > cursor.new && mv cursor.new cursor
  [ -s cursor ] && [ "$(cat cursor)" != "" ] || touch finished
)

failures=0
until [ -e finished ]; do
  if step; then failures=0; continue; fi
  [ -e gave-up ] && exit 1
  failures=$((failures + 1))
  [ "$failures" -lt 9 ] || exit 1
  after=$(cat wait 2> /dev/null || true); rm -f wait
  pause=$(awk -v f="$failures" -v a="${after:-0}" 'BEGIN { p = 0.15 * 2 ^ f; print (a > p) ? a : p }')
  sleep "$pause"
done
sort -u page-[0-9]* | wc -l
