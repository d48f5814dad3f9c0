"""A thread that sells, a queue between, and three threads that fetch the tickets of what was sold."""
import os
import queue
import threading
import time

import requests


class Client:
    """One for all threads: they share the token, and the lock around renewing it."""

    def __init__(self):
        self.http = requests.Session()
        self.lock = threading.Lock()
        self.token = None

    def renew(self, rejected):
        with self.lock:
            if self.token != rejected:
                return
            for pause in (0.3, 0.7, 1.5, 3, 0):
                response = self.http.post(os.environ["SANDBOX_TOKEN_URL"], timeout=6, data=dict(
                    grant_type="client_credentials", audience=os.environ["SANDBOX_URL"], scope="booking.read booking.write",
                    client_id=os.environ["SANDBOX_CLIENT_ID"], client_secret=os.environ["SANDBOX_CLIENT_SECRET"]))
                if response.ok:
                    self.token = response.json()["access_token"]
                    return
                time.sleep(pause)
            response.raise_for_status()

    def __call__(self, method, path, **kwargs):
        pause = 0.2
        for attempt in range(7):
            token = self.token
            if token is None:
                self.renew(None)
                continue
            try:
                response = self.http.request(method, os.environ["SANDBOX_URL"] + path, timeout=6,
                                             headers={"Authorization": f"Bearer {token}"}, **kwargs)
            except requests.RequestException:
                if method != "GET":
                    raise
            else:
                if response.status_code == 401:
                    self.renew(token)
                    continue
                if response.status_code not in (429, 503):
                    return response
                pause = max(pause, float(response.headers.get("Retry-After", 0)))
            time.sleep(pause)
            pause *= 2
        raise RuntimeError(f"{method} {path}: gave up")


api, sold = Client(), queue.Queue()


def sell(number):
    reference = f"kiosk-{number}"
    body = {
        "event_id": "evt-tomorrow-evening", "locale": "en", "metadata": {"kiosk": reference},
        "customer": {"customer_type": "PRIVATE", "name": f"Guest {number}", "email": f"{reference}@example.com",
                     "address": {"address_lines": ["Kongens Nytorv 4"], "city": "Copenhagen", "zip_code": "1050", "country": "DK"}},
        "items": [{"type_id": "var-adult", "item_type": "VARIANT", "quantity": 1}],
    }
    while True:
        try:
            response = api("POST", "/v1/bookings", json=body)
        except requests.RequestException:
            newest = api("GET", "/v1/bookings?sort=-created_at&limit=30").json()["items"]
            made = [b["id"] for b in newest if b.get("metadata", {}).get("kiosk") == reference]
            if made:
                return sold.put(made[0])
            continue
        if response.status_code == 201:
            sold.put(response.json()["id"])
        else:
            print("not sold:", response.json().get("code"))
        return None


def fetch_tickets():
    while (booking := sold.get()) is not None:
        if api("GET", f"/v1/bookings/{booking}").json().get("status") == "ACTIVE":
            print(booking, len(api("GET", f"/v1/bookings/{booking}/tickets").json()["items"]))
        sold.task_done()


workers = [threading.Thread(target=fetch_tickets) for _ in range(3)]
for worker in workers:
    worker.start()
try:
    for number in range(4):
        sell(number)
finally:
    for _ in workers:
        sold.put(None)
