"""Downloads each order with its line items. After a 401 it signs in again, but continues with the next order."""
import os
import time
import requests

BASE = os.environ["SANDBOX_URL"]
session = requests.Session()


def login():
    for pause in (0.3, 0.9, 2.5, 0):
        reply = requests.post(os.environ["SANDBOX_TOKEN_URL"], timeout=6, data={
            "grant_type": "client_credentials", "audience": BASE, "scope": "order.read",
            "client_id": os.environ["SANDBOX_CLIENT_ID"], "client_secret": os.environ["SANDBOX_CLIENT_SECRET"]})
        if reply.status_code == 200:
            session.headers["Authorization"] = "Bearer " + reply.json()["access_token"]
            return
        time.sleep(pause)
    reply.raise_for_status()


def fetch(path, **params):
    for pause in (0.2, 0.5, 1.1, 2.4, 5, 0):
        try:
            reply = session.get(BASE + path, params=params, timeout=6)
        except requests.ConnectionError:
            time.sleep(pause)
            continue
        if reply.status_code in (429, 503):
            time.sleep(max(pause, float(reply.headers.get("Retry-After", 0))))
            continue
        break
    if reply.status_code == 401:
        login()
        return None
    reply.raise_for_status()
    return reply.json()


login()
orders = fetch("/v1/orders", limit=12) or {"items": []}
for order in orders["items"]:
    items = fetch(f"/v1/orders/{order['id']}/line-items")
    if items is None:
        continue
    print(order.get("number"), len(items["items"]))
