#!/usr/bin/env bash
# Orders are files: `new` has what the till wrote, `done` what is booked, `failed` what the API rejects for good.
set -euo pipefail
cd "$SANDBOX_RUN_FOLDER"
mkdir -p new done failed
echo '{"guest":"Eva Munk","seats":2}' > new/till-0001.json
echo '{"guest":"Ole Bach","seats":1}' > new/till-0002.json

login() {
  curl -sS -m 6 --retry 5 --retry-all-errors --fail "$SANDBOX_TOKEN_URL" -d grant_type=client_credentials \
    -d "scope=booking.read booking.write" -d "audience=$SANDBOX_URL" -d "client_id=$SANDBOX_CLIENT_ID" \
    --data-urlencode "client_secret=$SANDBOX_CLIENT_SECRET" | jq -r .access_token > token
}

# Prints the body, and the status on the last line: 000 if there was no response. curl itself waits after 429 and 503.
call() {
  local response
  response=$(curl -sS -m 6 --retry 4 -w '\n%{http_code}' -H "Authorization: Bearer $(cat token)" \
    -H 'Content-Type: application/json' "$@") || response=$'\n000'
  if [ "${response##*$'\n'}" = 401 ]; then
    login
    response=$(curl -sS -m 6 --retry 4 -w '\n%{http_code}' -H "Authorization: Bearer $(cat token)" \
      -H 'Content-Type: application/json' "$@") || response=$'\n000'
  fi
  printf '%s' "$response"
}

is_booked() {
  local found
  found=$(call "$SANDBOX_URL/v1/bookings?sort=-created_at&limit=40")
  [ "${found##*$'\n'}" = 200 ] || found=$(call "$SANDBOX_URL/v1/bookings?sort=-created_at&limit=40")
  [ "${found##*$'\n'}" = 200 ] || { echo "cannot read bookings" >&2; exit 1; }
  jq -e --arg no "$1" '.items | any(.metadata.till == $no)' <<< "${found%$'\n'*}" > /dev/null
}

login
for file in new/*.json; do
  no=$(basename "$file" .json)
  for attempt in 1 2 3; do
    if [ "$attempt" -gt 1 ] && is_booked "$no"; then mv "$file" done/; break; fi
    # A POST is never repeated by curl: --retry would book again after a timeout.
    body=$(jq -c --arg no "$no" '{event_id: "evt-evening", locale: "da", metadata: {till: $no},
      customer: {customer_type: "PRIVATE", name: .guest, email: "till@example.com",
        address: {address_lines: ["Kajen 4"], city: "Odense", zip_code: "5000", country: "DK"}},
      items: [{type_id: "var-adult", item_type: "VARIANT", quantity: .seats}]}' "$file")
    answer=$(call --retry 0 -d "$body" "$SANDBOX_URL/v1/bookings")
    case ${answer##*$'\n'} in
      201) mv "$file" done/; break ;;
      000 | 429 | 5*) sleep $((attempt * attempt)) ;;
      *) printf '%s' "$answer" > "failed/$no.answer"; mv "$file" failed/; break ;;
    esac
  done
done
[ -z "$(ls new)" ] || { echo "left for the next run: $(ls new)" >&2; exit 1; }
