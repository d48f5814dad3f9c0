"""Prints the addresses of those who want the newsletter. Reads are repeated patiently; the token request is not."""
import json
import os
import time
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

host = urlsplit(os.environ["SANDBOX_URL"]).netloc


def call(method, path, body=None, headers={}):
    connection = HTTPConnection(host, timeout=6)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def login():
    form = urlencode({"grant_type": "client_credentials", "scope": "marketing.read", "audience": os.environ["SANDBOX_URL"],
                      "client_id": os.environ["SANDBOX_CLIENT_ID"], "client_secret": os.environ["SANDBOX_CLIENT_SECRET"]})
    path = urlsplit(os.environ["SANDBOX_TOKEN_URL"]).path
    status, _, body = call("POST", path, form, {"content-type": "application/x-www-form-urlencoded"})
    if status != 200:
        raise SystemExit(f"cannot sign in: {status}")
    return json.loads(body)["access_token"]


token, cursor, pause = login(), "", 0.25
while True:
    try:
        status, headers, body = call("GET", "/v1/marketing-consents?" + urlencode({"limit": 2, "cursor": cursor}),
                                     headers={"authorization": "Bearer " + token})
    except OSError:
        status, headers = 503, {}
    if status == 401:
        token = login()
    elif status in (429, 503) and pause < 20:
        time.sleep(max(pause, float(headers.get("Retry-After") or 0)))
        pause *= 2
    elif status != 200:
        raise SystemExit(f"consents: {status}")
    else:
        page, pause = json.loads(body), 0.25
        for consent in page["items"]:
            print(consent.get("email", ""))
        cursor = page.get("next") or ""
        if not cursor:
            break
