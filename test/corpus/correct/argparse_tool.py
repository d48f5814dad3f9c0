"""tours.py list | show ID | tickets BOOKING: the command-line tool of the office, run here with three commands."""
import argparse
import functools
import os
import sys
import time

import requests


def retry(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        for exponent in range(6):
            try:
                response = function(*args, **kwargs)
            except (requests.ConnectionError, requests.Timeout):
                if exponent == 5:
                    raise
                response = None
            if response is not None and response.status_code not in (429, 503):
                return response
            requested = response.headers.get("Retry-After", 0) if response is not None else 0
            time.sleep(max(float(requested), 0.25 * 2 ** exponent))
        sys.exit("The service does not respond. Try again later.")
    return wrapper


class Auth(requests.auth.AuthBase):
    token = None

    def __call__(self, request):
        if Auth.token is None:
            Auth.token = self.fetch().json()["access_token"]
        request.headers["Authorization"] = f"Bearer {Auth.token}"
        return request

    @retry
    def fetch(self):
        return requests.post(os.environ["SANDBOX_TOKEN_URL"], timeout=5, data={
            "grant_type": "client_credentials", "audience": os.environ["SANDBOX_URL"], "scope": "booking.read event.read",
            "client_id": os.environ["SANDBOX_CLIENT_ID"], "client_secret": os.environ["SANDBOX_CLIENT_SECRET"]})


@retry
def send(path):
    return requests.get(os.environ["SANDBOX_URL"] + path, auth=Auth(), timeout=5)


def get(path):
    response = send(path)
    if response.status_code == 401:
        Auth.token = None
        response = send(path)
    if not response.ok:
        sys.exit(f"{response.status_code}: {response.json().get('message')}")
    return response.json()


def show_list(_):
    for event in get("/v1/events?experience_id=exp-dinner&limit=10")["items"]:
        print(event["id"], event.get("state", "?"))


def show(args):
    print(get(f"/v1/events/{args.id}").get("capacity"))


def tickets(args):
    if get(f"/v1/bookings/{args.id}").get("status") in ("ACTIVE", "CHECKED_IN"):
        print(len(get(f"/v1/bookings/{args.id}/tickets")["items"]), "tickets")


parser = argparse.ArgumentParser()
commands = parser.add_subparsers(required=True)
commands.add_parser("list").set_defaults(run=show_list)
for name, run in (("show", show), ("tickets", tickets)):
    command = commands.add_parser(name)
    command.add_argument("id")
    command.set_defaults(run=run)
for line in ("list", "show evt-evening", "tickets bkg-evening"):
    arguments = parser.parse_args(line.split())
    arguments.run(arguments)
