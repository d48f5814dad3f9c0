// Manages webhook subscriptions. Heading "Webhook subscriptions"; assumptions: subscription-fields, subscription-put,
// subscription-conflict, subscription-url-length, delivery-targets (http(s) only, no credentials, never a link-local or
// metadata address).

import { isIP } from "node:net";
import { unwrapHost } from "../../../platform/unbracketed.ts";
import { must } from "../kernel/checks.ts";
import { reject } from "../kernel/domain-error.ts";
import { normalizeUrl } from "../kernel/index-keys.ts";
import type { Subscription } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { isUnchanged } from "../kernel/unchanged.ts";

type SubscriptionInput = Pick<Subscription, "url" | "event_types" | "state" | "description" | "metadata">;

/** The description of a subscription that `--webhook-url` made. */
export const MADE_AT_START = "Made by --webhook-url";
/** The description of a subscription that `webhook_url` of a new world created. */
export const MADE_WITH_WORLD = "Made with the world";

/** Finds the subscription of `--webhook-url`. Without the option, the latest one of an earlier start is returned. */
export function findSubscriptionOfStart(
  subscriptions: Iterable<Subscription>,
  url: string | undefined,
): Subscription | undefined {
  const all = [...subscriptions];
  const made = all.filter((each) => each.description === MADE_AT_START && isInUse(each));
  if (url === undefined) return made.sort((a, b) => (a.created_at < b.created_at ? -1 : 1)).at(-1);
  const hasUrl = (each: Subscription) => normalizeUrl(each.url) === normalizeUrl(url);
  return all.find((each) => hasUrl(each) && each.state === "ENABLED") ?? made.find(hasUrl);
}

/** Finds the subscription that the sandbox created at its start, or else with the world. */
export function findSubscription(subscriptions: Iterable<Subscription>, url: string | undefined) {
  const all = [...subscriptions];
  return findSubscriptionOfStart(all, url) ?? all.find((each) => each.description === MADE_WITH_WORLD && isInUse(each));
}

/**
 * A pinned subscription stays in use after a 410, because its receiver has its secret. The disabled copy of a fork
 * is not in use.
 */
const isInUse = ({ state, pinned }: Subscription): boolean => state === "ENABLED" || pinned === true;

/** `secret` holds 32 random bytes as whsec_…. Rejects with INVALID_INPUT or SUBSCRIPTION_EXISTS. */
export const createSubscription = (tx: Transaction, input: SubscriptionInput, secret: string): Subscription =>
  addSubscription(tx, input, { id: tx.newId(), secret });

/**
 * Creates a subscription that keeps its id and its secret when the world is replaced. Its id is derived from its
 * URL, because no numbered id of a restored world may be reused. A known subscription that was disabled is enabled
 * again.
 */
export function createPinnedSubscription(tx: Transaction, input: SubscriptionInput, secret: string): Subscription {
  const id = tx.idFor(`subscription ${input.url}`);
  const known = tx.subscriptions.get(id);
  return known ? replaceSubscription(tx, known, input) : addSubscription(tx, input, { id, secret, pinned: true });
}

function addSubscription(
  tx: Transaction,
  input: SubscriptionInput,
  { id, ...own }: Pick<Subscription, "id" | "secret" | "pinned">,
): Subscription {
  const subscription = { id, ...checkInput(tx, input), ...own, created_at: tx.now, updated_at: tx.now };
  tx.subscriptions.put(subscription);
  tx.emit("webhook_subscription.created", subscription.id);
  return subscription;
}

/**
 * Replaces all fields; fields that the input leaves out are deleted. Secrets stay, because the receiver verifies
 * signatures with them.
 */
export function replaceSubscription(
  tx: Transaction,
  subscription: Subscription,
  input: SubscriptionInput,
): Subscription {
  const { id, secret, previous_secret, pinned, created_at } = subscription;
  const replaced: Subscription = {
    id,
    ...checkInput(tx, input, id),
    secret,
    ...(previous_secret ? { previous_secret } : {}),
    ...(pinned ? { pinned } : {}),
    created_at,
    updated_at: tx.now,
  };
  if (isUnchanged(tx, subscription, replaced)) return subscription;
  tx.subscriptions.put(replaced);
  tx.emit("webhook_subscription.updated", id);
  return replaced;
}

/** Deletes a subscription. Its fact makes the outbox drop pending messages (assumption: subscription-delete). */
export function deleteSubscription(tx: Transaction, subscription: Subscription): void {
  tx.subscriptions.remove(subscription.id);
  tx.emit("webhook_subscription.deleted", subscription.id);
}

function checkInput(
  tx: Transaction,
  { url, event_types, state, description, metadata }: SubscriptionInput,
  own?: string,
): SubscriptionInput {
  const reason = explainTarget(url);
  if (reason) reject("INVALID_INPUT", { path: "body.url", what: reason });
  // Duplicate kinds are dropped, because each message is sent once anyway.
  const kinds = [...new Set(event_types)];
  // A disabled subscription receives nothing, so it conflicts with no other.
  if (state === "ENABLED" && tx.assumes("subscription-conflict") !== "never") rejectTwins(tx, url, kinds, own);
  return {
    url,
    event_types: kinds,
    state,
    ...(description === undefined ? {} : { description }),
    ...(metadata ? { metadata } : {}),
  };
}

function rejectTwins(tx: Transaction, url: string, kinds: readonly string[], own: string | undefined): void {
  for (const { id, state, event_types } of tx.subscriptions.where("url", normalizeUrl(url))) {
    const shared = event_types.filter((kind) => kinds.includes(kind));
    const isTwin = id !== own && state === "ENABLED" && shared.length > 0;
    const describeTwin = () =>
      `${id} is ${state} for this url, with ${shared.length === 0 ? "no kind in common" : shared.join(", ")}`;
    must(tx, "SUBSCRIPTION_EXISTS", isTwin && { subscription_id: id, kinds: shared.join(", "), url }, describeTwin);
  }
}

/** The limit counts characters (assumption: subscription-url-length). */
const MAX_URL_LENGTH = 2048;

/** Explains why a URL can't be a delivery target. Returns undefined if it can. */
export function explainTarget(text: string): string | undefined {
  if (text.length > MAX_URL_LENGTH)
    return `the URL has ${text.length} characters, and at most ${MAX_URL_LENGTH} are allowed. Give a shorter one.`;
  if (!URL.canParse(text)) return `${text.slice(0, 100)} is not a URL. Give an absolute http or https address.`;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `${url.protocol.slice(0, 100)} can't be delivered to. Give an http or https address.`;
  if (url.port === "0") return "nothing can listen on port 0. Give the port of the receiver.";
  if (url.username !== "" || url.password !== "")
    return "the URL carries credentials, which would end up in logs. Leave them out.";
  if (isLinkLocalOrMetadata(url.hostname))
    return `${url.hostname} is a link-local or metadata address, which is never sent to.`;
  return undefined;
}

/** Cloud metadata services outside the link-local range: Alibaba, Oracle, Azure; Google and Amazon. */
const METADATA_ADDRESSES = ["100.100.100.200", "192.0.0.192", "168.63.129.16", "fd20:ce::254", "fd00:ec2::254"];
const METADATA = [...METADATA_ADDRESSES, "metadata", "metadata.google.internal"];

/** An IPv4 address inside an IPv6 address: mapped, translated, compatible, behind NAT64, or by 6to4. */
const EMBEDDED_IPV4 = /^(?:(?:::(?:ffff:(?:0:)?)?|64:ff9b:(?:1:)?:)(\w+):(\w+)$|2002:(\w+):(\w*):)/;

/**
 * Accepts a host name as the URL parser returns it, with brackets, zone and final dot. Fake events must not reach a
 * service that issues credentials.
 */
export function isLinkLocalOrMetadata(hostname: string): boolean {
  const host = unwrapHost(hostname)
    .replace(/%.*|\.$/, "")
    .toLowerCase();
  if (isIP(host) !== 6) return /^169\.254\.\d+\.\d+$/.test(host) || METADATA.includes(host);
  // A URL writes the address in its canonical form.
  const address = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [, ...halves] = EMBEDDED_IPV4.exec(address) ?? [];
  // The last 32 bits as two groups of hexadecimal digits; an empty group is zero.
  const [high, low] = halves.filter((half) => half !== undefined).map((half) => Number.parseInt(half || "0", 16));
  if (high !== undefined && low !== undefined)
    return isLinkLocalOrMetadata([high >> 8, high & 255, low >> 8, low & 255].join("."));
  return /^fe[89ab][0-9a-f]:/.test(address) || METADATA.includes(address);
}

/** A host beyond this machine and its private networks: fake events must not reach a production receiver. */
export function isPublicTarget(text: string): boolean {
  const host = unwrapHost(new URL(text).hostname).toLowerCase();
  if (isIP(host) === 4) return !/^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(host);
  if (isIP(host) === 6) return !/^(::1?$|f[cd]|fe[89ab])/.test(host);
  return host !== "localhost" && !/\.(localhost|local|internal|test|example|invalid)$/.test(host);
}
