"""A report with requests. The adapter of its session repeats by urllib3, which waits as Retry-After says."""

import os
import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

URL = os.environ["SANDBOX_URL"]
RETRIES = Retry(
    total=6,
    backoff_factor=0.3,
    status_forcelist=(429, 503),
    allowed_methods=frozenset({"GET", "POST"}),
    respect_retry_after_header=True,
)


class Api(requests.Session):
    def __init__(self):
        super().__init__()
        self.mount("http://", HTTPAdapter(max_retries=RETRIES))
        self.headers["Accept-Language"] = "da, en;q=0.7"

    def sign_in(self):
        answer = self.post(
            os.environ["SANDBOX_TOKEN_URL"],
            data={
                "grant_type": "client_credentials",
                "audience": URL,
                "client_id": os.environ["SANDBOX_CLIENT_ID"],
                "client_secret": os.environ["SANDBOX_CLIENT_SECRET"],
                "scope": "booking.read order.read experience.read",
            },
            headers={"Authorization": None},
            timeout=5,
        )
        answer.raise_for_status()
        self.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"

    def read(self, path, **query):
        if "Authorization" not in self.headers:
            self.sign_in()
        answer = self.get(URL + path, params=query, timeout=5)
        if answer.status_code == 401:
            self.sign_in()
            answer = self.get(URL + path, params=query, timeout=5)
        answer.raise_for_status()
        return answer.json()

    def pages(self, path, **query):
        while True:
            page = self.read(path, **query)
            yield from page["items"]
            if not page.get("next"):
                return
            query["cursor"] = page["next"]


def main():
    api = Api()
    bookings = {each["id"]: each.get("status") for each in api.pages("/v1/bookings", limit=50)}
    orders = {each["id"]: each.get("payment_status") for each in api.pages("/v1/orders", limit=50)}
    for experience in api.read("/v1/experiences", limit=3)["items"]:
        api.read(f"/v1/experiences/{experience['id']}")
    print(len(bookings), "bookings,", len(orders), "orders")


main()
