# Run with: npx --no-install sandbox exec -- python3 -m unittest discover -s test
import json
import os
import unittest
import urllib.parse
import urllib.request


def fetch_token():
    form = {
        "grant_type": "client_credentials",
        "audience": os.environ["SANDBOX_URL"],
        "client_id": os.environ["SANDBOX_CLIENT_ID"],
        "client_secret": os.environ["SANDBOX_CLIENT_SECRET"],
    }
    body = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen(os.environ["SANDBOX_TOKEN_URL"], body) as response:
        return json.load(response)["access_token"]


class FirstBookingTest(unittest.TestCase):
    def test_the_booking_for_tonight_is_there(self):
        # Your own code runs here, with the SANDBOX_ variables.
        request = urllib.request.Request(
            os.environ["SANDBOX_URL"] + "/v1/bookings/bkg-tonight",
            headers={"Authorization": "Bearer " + fetch_token()},
        )
        with urllib.request.urlopen(request) as response:
            self.assertEqual(json.load(response)["status"], "ACTIVE")
