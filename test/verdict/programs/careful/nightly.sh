#!/usr/bin/env bash
# A line of a crontab that became a script: curl, which waits as it is told and doubles its waits, and jq. What fails ends it.
set -euo pipefail

ask() {
  curl --silent --show-error --fail-with-body --max-time 8 --retry 6 --retry-all-errors --retry-max-time 60 "$@"
}

sign_in() {
  token=$(ask "$SANDBOX_TOKEN_URL" --data grant_type=client_credentials --data scope=booking.read \
    --data-urlencode "audience=$SANDBOX_URL" --data-urlencode "client_id=$SANDBOX_CLIENT_ID" \
    --data-urlencode "client_secret=$SANDBOX_CLIENT_SECRET" | jq --raw-output .access_token)
}

# Not what is refused for good: curl repeats everything that it is asked to.
get() {
  curl --silent --show-error --max-time 8 --retry 6 --get --write-out '\n%{http_code}' \
    --header "Authorization: Bearer $token" --header 'Accept-Language: da' "$@"
}

page() {
  local answer
  answer=$(get "$@") || answer=$(get "$@")
  if [ "${answer##*$'\n'}" = 401 ]; then
    sign_in
    answer=$(get "$@")
  fi
  if [ "${answer##*$'\n'}" != 200 ]; then
    echo "refused: $answer" >&2
    exit 1
  fi
  body=${answer%$'\n'*}
}

sign_in
cursor=''
count=0
while :; do
  if [ -z "$cursor" ]; then page "$SANDBOX_URL/v1/bookings" --data limit=50
  else page "$SANDBOX_URL/v1/bookings" --data limit=50 --data-urlencode "cursor=$cursor"; fi
  count=$((count + $(jq '.items | length' <<<"$body")))
  cursor=$(jq --raw-output '.next // empty' <<<"$body")
  [ -n "$cursor" ] || break
done
echo "$count bookings"
