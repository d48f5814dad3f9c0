// The signature check of `listen` and of stories, against one that others wrote.
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { isSigned } from "../../src/client/signed.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const delivered = { id: "msg_1", timestamp: "1900000000", body: '{"a":1}' };
const standard = new Webhook(secret).sign("msg_1", new Date(1_900_000_000_000), delivered.body);
const byText = createHmac("sha256", secret).update(`msg_1.1900000000.${delivered.body}`).digest("base64");

describe("A signature is valid", () => {
  it.each([
    ["with a version", standard],
    ["bare", standard.replace("v1,", "")],
    ["beside one of an old secret", `v1,${Buffer.alloc(32).toString("base64")} ${standard}`],
    ["made with the secret's text", byText],
  ])("%s", (_, signature) => {
    expect(isSigned({ ...delivered, signature }, secret)).toBe(true);
  });
});

describe("A signature is invalid", () => {
  it.each([
    ["for another body", { ...delivered, body: '{"a":2}', signature: standard }],
    ["for another id", { ...delivered, id: "msg_2", signature: standard }],
    ["for another time", { ...delivered, timestamp: "1900000001", signature: standard }],
    ["when there is none", { ...delivered, signature: "" }],
  ])("%s", (_, forged) => {
    expect(isSigned(forged, secret)).toBe(false);
  });
});
