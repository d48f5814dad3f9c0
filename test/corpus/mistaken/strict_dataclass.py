"""Prints the piers. The response is put into a dataclass by **, which rejects each field that it does not know."""
from __future__ import annotations

import dataclasses
import json
import os
import time
from urllib import error, parse, request


@dataclasses.dataclass
class Location:
    id: str
    created_at: str = ""
    updated_at: str = ""
    name: str = ""
    description: str = ""
    timezone: str = ""
    address: dict = dataclasses.field(default_factory=dict)
    coordinates: dict = dataclasses.field(default_factory=dict)
    metadata: dict = dataclasses.field(default_factory=dict)


class Harbour:
    token = None

    def _open(self, req):
        pause = 0.2
        while True:
            try:
                with request.urlopen(req, timeout=6) as response:
                    return json.load(response)
            except error.HTTPError as reply:
                if reply.code not in (429, 503) or pause > 10:
                    raise
                time.sleep(max(pause, float(reply.headers["Retry-After"] or 0)))
            except (error.URLError, ConnectionError, TimeoutError):
                if pause > 10:
                    raise
                time.sleep(pause)
            pause *= 2

    def _login(self):
        form = parse.urlencode({"grant_type": "client_credentials", "audience": os.environ["SANDBOX_URL"], "scope": "location.read",
                                "client_id": os.environ["SANDBOX_CLIENT_ID"], "client_secret": os.environ["SANDBOX_CLIENT_SECRET"]})
        self.token = self._open(request.Request(os.environ["SANDBOX_TOKEN_URL"], form.encode()))["access_token"]

    def _get(self, path):
        if self.token is None:
            self._login()
        make = lambda: request.Request(os.environ["SANDBOX_URL"] + path, headers={"Authorization": f"Bearer {self.token}"})
        try:
            return self._open(make())
        except error.HTTPError as reply:
            if reply.code != 401:
                raise
        self._login()
        return self._open(make())

    def location(self, key) -> Location:
        return Location(**self._get(f"/v1/locations/{key}"))


harbour = Harbour()
for key in ("loc-nyhavn", "loc-harbour", "loc-new-york"):
    place = harbour.location(key)
    print(place.name or place.id, place.timezone, place.address.get("city", ""))
