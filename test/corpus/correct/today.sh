#!/bin/bash
# motd for the ticket office: what starts on Monday, with seats left.
set -eu
umask 077
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT

token() {
  curl -sSf --max-time 5 --retry 4 -o "$dir/token.json" -d grant_type=client_credentials -d scope=event.read \
    -d audience="$SANDBOX_URL" -d client_id="$SANDBOX_CLIENT_ID" --data-urlencode client_secret="$SANDBOX_CLIENT_SECRET" \
    "$SANDBOX_TOKEN_URL"
  jq -r '"header = \"Authorization: Bearer \(.access_token)\""' "$dir/token.json" > "$dir/auth"
}

get() {
  local code
  for renew in yes no; do
    code=$(curl -sS -G --max-time 7 --retry 4 --config "$dir/auth" -o "$dir/out" -w '%{http_code}' "$@") || code=000
    case $code in
      200) cat "$dir/out"; return ;;
      401) [ $renew = yes ] && token ;;
      000) ;;
      *) echo "HTTP $code" >&2; cat "$dir/out" >&2; return 1 ;;
    esac
  done
  return 1
}

token
get "$SANDBOX_URL/v1/events" -d from=2030-06-03T00:00:00 -d to=2030-06-04T00:00:00 -d limit=50 > "$dir/events"
jq -r '.items[] | select(.state == "ACTIVE") | .id' "$dir/events" | while read -r event; do
  get "$SANDBOX_URL/v1/event-availabilities/$event" |
    jq -r '"\(.event_id): \([.constraints[]? | select(.type == "EVENT_SEATS_LIMIT") | .remaining][0] // "?") left"'
done
