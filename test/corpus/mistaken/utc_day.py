"""The programme of tomorrow. Takes midnight in UTC for midnight at the quay."""
import datetime
import json
import os
import subprocess


def curl(*arguments):
    """curl retries what passes, with growing waits, and obeys Retry-After."""
    done = subprocess.run(["curl", "-sS", "-m", "7", "--retry", "5", "-w", "\n%{http_code}", *arguments], capture_output=True, text=True)
    body, _, status = done.stdout.rpartition("\n")
    return int(status or 0), body


def login():
    form = {"grant_type": "client_credentials", "audience": os.environ["SANDBOX_URL"], "scope": "event.read",
            "client_id": os.environ["SANDBOX_CLIENT_ID"], "client_secret": os.environ["SANDBOX_CLIENT_SECRET"]}
    status, body = curl(*[word for item in form.items() for word in ("--data-urlencode", "=".join(item))], os.environ["SANDBOX_TOKEN_URL"])
    return json.loads(body)["access_token"]


def events(token, day):
    start = datetime.datetime.combine(day, datetime.time(), datetime.timezone.utc)
    window = [start, start + datetime.timedelta(days=1)]
    first, last = [moment.strftime("%Y-%m-%dT%H:%M:%SZ") for moment in window]
    return curl("-G", "-H", f"Authorization: Bearer {token}", f"{os.environ['SANDBOX_URL']}/v1/events", "-d", f"from={first}", "-d", f"to={last}")


tomorrow = datetime.date(2030, 6, 4)
status, body = events(login(), tomorrow)
if status == 401:
    status, body = events(login(), tomorrow)
if status != 200:
    raise SystemExit(f"HTTP {status}")
for event in json.loads(body)["items"]:
    for session in event["sessions"]:
        print(session["start_time"], event["id"])
