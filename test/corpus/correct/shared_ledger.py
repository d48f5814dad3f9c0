"""Three processes append what they read to one ledger, under a lock, so that no line is written into another."""
import fcntl
import json
import multiprocessing
import os
import pathlib
import time

import requests

FOLDER = pathlib.Path(os.environ["SANDBOX_RUN_FOLDER"])
BASE = os.environ["SANDBOX_URL"]


def busy(response):
    return response is None or response.status_code in (429, 503)


def patiently(method, url, **kwargs):
    for attempt in range(6):
        try:
            response = requests.request(method, url, timeout=7, **kwargs)
        except requests.RequestException:
            response = None
        if not busy(response):
            return response
        asked = float(response.headers.get("Retry-After", 0)) if response is not None else 0
        time.sleep(max(asked, 0.2 * 1.9 ** attempt))
    raise RuntimeError(f"{url}: no response")


def token(rejected=None):
    with open(FOLDER / "token", "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = file.read()
        if known and known != rejected:
            return known
        response = patiently("POST", os.environ["SANDBOX_TOKEN_URL"], data={
            "grant_type": "client_credentials", "scope": "order.read gift-card.read location.read", "audience": BASE,
            "client_id": os.environ["SANDBOX_CLIENT_ID"], "client_secret": os.environ["SANDBOX_CLIENT_SECRET"]})
        file.truncate(0)
        file.write(response.json()["access_token"])
        return response.json()["access_token"]


def pages(path):
    bearer, cursor = token(), ""
    while True:
        query = {"limit": 50} | ({"cursor": cursor} if cursor else {})
        response = patiently("GET", BASE + path, params=query, headers={"Authorization": f"Bearer {bearer}"})
        if response.status_code == 401:
            bearer = token(rejected=bearer)
            continue
        response.raise_for_status()
        yield from response.json()["items"]
        cursor = response.json().get("next")
        if not cursor:
            return


def collect(path):
    records = {record["id"]: record.get("updated_at", "") for record in pages(path)}
    with open(FOLDER / "ledger.jsonl", "a") as ledger:
        fcntl.flock(ledger, fcntl.LOCK_EX)
        ledger.write(json.dumps({"path": path, "records": records}) + "\n")


if __name__ == "__main__":
    workers = [multiprocessing.Process(target=collect, args=(path,)) for path in ("/v1/orders", "/v1/gift-cards", "/v1/locations")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    raise SystemExit(max(abs(worker.exitcode) for worker in workers))
