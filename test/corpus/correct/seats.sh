#!/usr/bin/env bash
# The LED display on the pier: shows how many seats the evening cruise has left, and keeps its text while nothing can be read.
set -uo pipefail
readonly event=evt-evening
token='' wait=0.5

sign_in() {
  token=$(curl -sS --fail -m 4 "$SANDBOX_TOKEN_URL" --data-urlencode grant_type=client_credentials --data-urlencode scope=event.read \
    --data-urlencode "audience=$SANDBOX_URL" --data-urlencode "client_id=$SANDBOX_CLIENT_ID" \
    --data-urlencode "client_secret=$SANDBOX_CLIENT_SECRET" | jq -r '.access_token // empty')
}

while :; do
  [ -n "$token" ] || sign_in
  headers=$(mktemp)
  body=$(curl -sS -m 4 -D "$headers" -H "Authorization: Bearer $token" "$SANDBOX_URL/v1/event-availabilities/$event" 2> /dev/null)
  status=$(awk 'NR == 1 { print $2 }' "$headers")
  after=$(awk 'tolower($1) == "retry-after:" { print $2 + 0 }' "$headers")
  rm -f "$headers"
  if [ "$status" = 200 ]; then
    wait=0.5
    jq -r 'if .available then "\([.constraints[]?.remaining // empty] | min // "some") seats left" else "sold out" end' <<< "$body"
  else
    [ "$status" = 401 ] && token=''
    wait=$(awk -v w="$wait" 'BEGIN { print (w < 20) ? w * 2 : w }')
  fi
  sleep "$(awk -v w="$wait" -v a="${after:-0}" 'BEGIN { print (a > w) ? a : w }')"
done
