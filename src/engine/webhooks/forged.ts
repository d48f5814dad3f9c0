// What is sent on purpose instead of a message, or before it. Each way breaks one thing and leaves the rest right.
import { UNKNOWN_MEMBER, UNKNOWN_NAME } from "../../platform/unknown-member.ts";
import type { Subscription, Tamper } from "../domain/kernel/records.ts";
import type { DeliveryEffect } from "./delivery-faults.ts";

/** As a resend can be altered by hand. */
export function tamperOf(doing: DeliveryEffect | undefined): Tamper | undefined {
  if (doing === "altered") return "body";
  return doing === "stale_timestamp" ? "timestamp" : undefined;
}

/** Of the same form as a right one, and known to nobody. */
const OTHER_SECRET = `whsec_${Buffer.from("a secret of somebody else, unknown").toString("base64")}`;

export function withForgedSecret(subscription: Subscription, doing: DeliveryEffect | undefined): Subscription {
  if (doing !== "wrong_secret") return subscription;
  const { previous_secret: _, ...rest } = subscription;
  return { ...rest, secret: OTHER_SECRET };
}

/** The message that is signed and sent. */
export function forgeMessage({ id, body }: { id: string; body: string }, doing: DeliveryEffect | undefined) {
  if (doing === "unknown_members") return { id, body: JSON.stringify(withUnknownMembers(JSON.parse(body))) };
  if (doing === "rewritten") return { id, body: rewriteJson(JSON.parse(body)) };
  if (doing !== "unknown_kind") return { id, body };
  const message = JSON.parse(body) as { id: string; type: string };
  const unknown = { ...message, id: toNeighbourId(message.id), type: message.type.replace(/[^.]*$/, UNKNOWN_NAME) };
  return { id: `${id}0`, body: JSON.stringify(unknown) };
}

/** A UUID of the same version and variant. */
const toNeighbourId = (uuid: string): string =>
  uuid.replace(/.$/, (digit) => ((Number.parseInt(digit, 16) + 1) % 16).toString(16));

/** The same value in other words: spaces, the other order of members, and escapes where none are needed. */
const rewriteJson = (value: unknown): string =>
  JSON.stringify(reverseMembers(value), null, 1).replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(/[.-]|[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

function reverseMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseMembers);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reverseMembers(member)]);
  return Object.fromEntries(members.reverse());
}

function withUnknownMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownMembers);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withUnknownMembers(member)]);
  return { ...Object.fromEntries(members), ...UNKNOWN_MEMBER };
}
