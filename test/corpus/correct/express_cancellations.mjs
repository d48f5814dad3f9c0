// An Express app that releases rooms when their booking is cancelled, and keeps them otherwise.
import crypto from "node:crypto";
import fs from "node:fs/promises";
import express from "express";

const store = `${process.env.SANDBOX_RUN_FOLDER}/rooms.json`;
const rooms = {};
const handledIds = new Set();
await fs.writeFile(store, "{}");

class Bookings {
  async read(id) {
    for (let n = 1; n <= 6; n++) {
      try {
        this.token ??= await this.login();
        const response = await fetch(`${process.env.SANDBOX_URL}/v1/bookings/${encodeURIComponent(id)}`, {
          headers: { Authorization: `Bearer ${this.token}` },
          signal: AbortSignal.timeout(5000),
        });
        if (response.ok) return await response.json();
        if (response.status === 401) {
          this.token = undefined;
          continue;
        }
        if (response.status < 500 && response.status !== 429) return null;
        await sleep(Math.max(1000 * response.headers.get("Retry-After"), 2 ** n * 80));
      } catch {
        await sleep(2 ** n * 80);
      }
    }
    throw new Error(`booking ${id} cannot be read`);
  }

  async login() {
    const response = await fetch(process.env.SANDBOX_TOKEN_URL, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: process.env.SANDBOX_CLIENT_ID,
        client_secret: process.env.SANDBOX_CLIENT_SECRET,
        audience: process.env.SANDBOX_URL,
        scope: "booking.read",
      }),
    });
    if (!response.ok) throw new Error("no token");
    return (await response.json()).access_token;
  }
}
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const bookings = new Bookings();

function verify(req, _res, next) {
  const id = req.get("webhook-id");
  const timestamp = req.get("webhook-timestamp");
  const signature = Buffer.from(req.get("webhook-signature") ?? "", "base64");
  const isValid = process.env.SANDBOX_WEBHOOK_SECRETS.split(" ").some((secret) => {
    const hmac = crypto.createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
    const digest = hmac.update(`${id}.${timestamp}.`).update(req.body).digest();
    return digest.length === signature.length && crypto.timingSafeEqual(digest, signature);
  });
  next(isValid && Math.abs(Date.now() - timestamp * 1000) < 5 * 60_000 ? undefined : { status: 401 });
}

const app = express();
app.post("/hooks", express.raw({ type: "*/*" }), verify, (req, res) => {
  res.sendStatus(202);
  const { type, payload } = JSON.parse(req.body.toString());
  if (!/^v1\.booking\./.test(type) || handledIds.has(req.get("webhook-id"))) return;
  handledIds.add(req.get("webhook-id"));
  handle(payload.booking_id).catch(console.error);
});
app.use((error, _req, res, _next) => res.sendStatus(error.status ?? 500));
app.listen(process.env.PORT, "127.0.0.1");

async function handle(id) {
  const booking = await bookings.read(id);
  rooms[id] = booking && ["ACTIVE", "CHECKED_IN"].includes(booking.status) ? "held" : "free";
  await fs.writeFile(store, JSON.stringify(rooms));
}
