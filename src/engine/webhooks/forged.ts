// Creates the forged messages that faults send instead of a message or before it. Each forgery breaks one thing only.
import { UNKNOWN_MEMBER, UNKNOWN_NAME } from "../../platform/unknown-member.ts";
import type { Subscription, Tamper } from "../domain/kernel/records.ts";
import type { DeliveryEffect } from "./delivery-faults.ts";

/** Returns the alteration of a resend that has the same effect as the fault. */
export function findTampering(effect: DeliveryEffect | undefined): Tamper | undefined {
  if (effect === "altered") return "body";
  return effect === "stale_timestamp" ? "timestamp" : undefined;
}

/** The secret has the correct form, but no subscription uses it. */
const UNKNOWN_SECRET = `whsec_${Buffer.from("a secret that no subscription uses").toString("base64")}`;

export function replaceSecret(subscription: Subscription, effect: DeliveryEffect | undefined): Subscription {
  if (effect !== "wrong_secret") return subscription;
  const { previous_secret: _, ...rest } = subscription;
  return { ...rest, secret: UNKNOWN_SECRET };
}

/** Returns the message to sign and send. */
export function forgeMessage({ id, body }: { id: string; body: string }, effect: DeliveryEffect | undefined) {
  if (effect === "unknown_members") return { id, body: JSON.stringify(addUnknownFields(JSON.parse(body))) };
  if (effect === "rewritten") return { id, body: rewriteJson(JSON.parse(body)) };
  if (effect !== "unknown_kind") return { id, body };
  const message = JSON.parse(body) as { id: string; type: string };
  const unknown = { ...message, id: toOtherUuid(message.id), type: message.type.replace(/[^.]*$/, UNKNOWN_NAME) };
  return { id: `${id}0`, body: JSON.stringify(unknown) };
}

/** Returns another UUID of the same version and variant. */
const toOtherUuid = (uuid: string): string =>
  uuid.replace(/.$/, (digit) => ((Number.parseInt(digit, 16) + 1) % 16).toString(16));

/** Writes the same value as different JSON: with spaces, the fields in reverse order, and unnecessary escapes. */
const rewriteJson = (value: unknown): string =>
  JSON.stringify(reverseFields(value), null, 1).replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(/[.-]|[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

function reverseFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseFields);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reverseFields(member)]);
  return Object.fromEntries(members.reverse());
}

function addUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addUnknownFields);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, addUnknownFields(member)]);
  return { ...Object.fromEntries(members), ...UNKNOWN_MEMBER };
}
