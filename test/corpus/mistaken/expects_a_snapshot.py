"""Reads the list of bookings twice and compares the two, since "a list must not change while it is exported"."""
import os, sys, time
import requests

API = os.environ["SANDBOX_URL"]


class Session(requests.Session):
    def request(self, method, url, **kwargs):
        for n in range(7):
            response = super().request(method, url, timeout=6, **kwargs)
            if response.status_code not in (429, 503):
                break
            time.sleep(max(float(response.headers.get("retry-after", 0)), 0.15 * 2 ** n))
        if response.status_code == 401 and "/oauth2/" not in url:
            self.login()
            return super().request(method, url, timeout=6, **kwargs)
        return response

    def login(self):
        self.headers.pop("Authorization", None)
        form = dict(grant_type="client_credentials", audience=API, scope="booking.read",
                    client_id=os.environ["SANDBOX_CLIENT_ID"], client_secret=os.environ["SANDBOX_CLIENT_SECRET"])
        self.headers["Authorization"] = "Bearer " + self.post(os.environ["SANDBOX_TOKEN_URL"], data=form).json()["access_token"]

    def all(self, path):
        found, cursor = [], None
        while cursor != "":
            response = self.get(API + path, params={"limit": 50, "cursor": cursor})
            response.raise_for_status()
            found += [each["id"] for each in response.json()["items"]]
            cursor = response.json().get("next") or ""
        return found


session = Session()
session.login()
once, twice = session.all("/v1/bookings"), session.all("/v1/bookings")
if once != twice:
    sys.exit("the list changed, nothing was exported")
print("\n".join(once))
