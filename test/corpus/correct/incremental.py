"""Synchronises new orders: each run asks for what was created since the newest that it knows, less an hour to be safe. Here
the scheduler's three runs follow one another."""
import datetime as dt
import json
import os
import pathlib
import time

import requests

STATE = pathlib.Path(os.environ["SANDBOX_RUN_FOLDER"], "orders.json")
session = requests.Session()


def request(method, url, **options):
    delay = 0.2
    while True:
        try:
            response = session.request(method, url, timeout=6, **options)
            if response.status_code not in (429, 503) or delay > 10:
                return response
            delay = max(delay, float(response.headers.get("Retry-After", 0)))
        except requests.RequestException:
            if delay > 10:
                raise
        time.sleep(delay)
        delay *= 2


def login():
    session.headers.pop("Authorization", None)
    response = request("POST", os.environ["SANDBOX_TOKEN_URL"], data={
        "grant_type": "client_credentials", "audience": os.environ["SANDBOX_URL"], "scope": "order.read",
        "client_id": os.environ["SANDBOX_CLIENT_ID"], "client_secret": os.environ["SANDBOX_CLIENT_SECRET"]})
    response.raise_for_status()
    session.headers["Authorization"] = "Bearer " + response.json()["access_token"]


def orders_since(instant):
    query = {"from": instant, "sort": "created_at", "limit": 50}
    while query is not None:
        response = request("GET", os.environ["SANDBOX_URL"] + "/v1/orders", params=query)
        if response.status_code == 401:
            login()
            continue
        response.raise_for_status()
        page = response.json()
        yield from page["items"]
        query = query | {"cursor": page["next"]} if page.get("next") else None


def run():
    orders = json.loads(STATE.read_text()) if STATE.exists() else {}
    newest = max((order["created"] for order in orders.values()), default="2030-05-01T00:00:00.000Z")
    since = dt.datetime.fromisoformat(newest[:19]) - dt.timedelta(hours=1)
    for order in orders_since(since.isoformat() + "Z"):
        orders[order["id"]] = {"created": order["created_at"], "status": order.get("payment_status", "UNKNOWN")}
    STATE.with_suffix(".tmp").write_text(json.dumps(orders))
    STATE.with_suffix(".tmp").replace(STATE)


login()
for _ in range(3):
    run()
