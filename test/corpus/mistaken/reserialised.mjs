// Verifies the signature over the JSON that it has parsed and written again, not over the bytes that came.
import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";

const keys = process.env.SANDBOX_WEBHOOK_SECRETS.split(" ").map((secret) => Buffer.from(secret.slice("whsec_".length), "base64"));
const seen = new Set();

function isGenuine({ headers, body }) {
  const { "webhook-id": id, "webhook-timestamp": sentAt, "webhook-signature": signature } = headers;
  if (!id || !signature || !(Math.abs(Date.now() / 1000 - sentAt) < 300)) return false;
  const given = Buffer.from(signature, "base64");
  return keys.some((key) => {
    const expected = createHmac("sha256", key).update(`${id}.${sentAt}.${JSON.stringify(body)}`).digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

express()
  .use(express.json())
  .post("/hooks", (request, response) => {
    if (!isGenuine(request)) return response.status(401).end();
    response.status(204).end();
    const id = request.get("webhook-id");
    if (!seen.has(id)) console.log(request.body.type);
    seen.add(id);
  })
  .listen(Number(process.env.PORT), "127.0.0.1");
