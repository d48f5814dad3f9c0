#!/bin/bash
# Counts the gift-card orders of the shop. The token is fetched once at the start; a long run outlives it.
set -euo pipefail
token=$(curl -sSf -m 5 --retry 4 "$SANDBOX_TOKEN_URL" -d grant_type=client_credentials -d scope="order.read" \
  -d audience="$SANDBOX_URL" -d client_id="$SANDBOX_CLIENT_ID" --data-urlencode client_secret="$SANDBOX_CLIENT_SECRET" |
  jq -r .access_token)
get() { curl -sS -f -m 8 --retry 4 -G -H "Authorization: Bearer $token" "$@"; }
cursor= total=0
while true; do
  page=$(get "$SANDBOX_URL/v1/orders" -d limit=30 ${cursor:+--data-urlencode "cursor=$cursor"})
  total=$((total + $(jq '[.items[] | select(.origin.type == "GIFT_CARD")] | length' <<< "$page")))
  cursor=$(jq -r '.next // ""' <<< "$page")
  [ -n "$cursor" ] || break
done
echo "$total gift-card orders"
