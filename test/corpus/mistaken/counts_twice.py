"""Counts today's messages for a dashboard, in a file. A message that comes twice counts twice."""
import base64
import hashlib
import hmac
import http.server
import json
import os
import threading
import time

FILE = os.path.join(os.environ["SANDBOX_RUN_FOLDER"], "counts.json")
lock, counts = threading.Lock(), {}


def save():
    with open(FILE + ".new", "w") as out:
        json.dump(counts, out)
    os.replace(FILE + ".new", FILE)


def verified(headers, body):
    sent, identity = headers.get("webhook-timestamp", ""), headers.get("webhook-id", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > 300:
        return False
    signed = f"{identity}.{sent}.".encode() + body
    digests = [hmac.new(base64.b64decode(s[6:]), signed, hashlib.sha256).digest() for s in os.environ["SANDBOX_WEBHOOK_SECRETS"].split()]
    return any(hmac.compare_digest(base64.b64encode(d).decode(), headers.get("webhook-signature", "")) for d in digests)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        ok = verified(self.headers, body)
        if ok:
            kind = json.loads(body)["type"]
            with lock:
                counts[kind] = counts.get(kind, 0) + 1
                save()
        self.send_response(200 if ok else 401)
        self.end_headers()

    def log_message(self, *_):
        """No access log."""


save()
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
server.socket.listen(300)
server.serve_forever()
