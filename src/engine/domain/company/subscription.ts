// Webhook subscriptions. Heading "Webhook subscriptions"; assumptions: subscription-fields, subscription-put, subscription-conflict,
// subscription-url-length, delivery-targets (http(s) only, no credentials, never a link-local or metadata address).

import { isIP } from "node:net";
import { unwrapHost } from "../../../platform/unbracketed.ts";
import { must } from "../kernel/checks.ts";
import { reject } from "../kernel/domain-error.ts";
import { addressOf } from "../kernel/index-keys.ts";
import type { Subscription } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { isUnchanged } from "../kernel/unchanged.ts";

type SubscriptionInput = Pick<Subscription, "url" | "event_types" | "state" | "description" | "metadata">;

/** The description of a subscription that `--webhook-url` made. */
export const MADE_AT_START = "Made by --webhook-url";
/** Of one that `webhook_url` of a new world made. */
export const MADE_WITH_WORLD = "Made with the world";

/** The subscription of `--webhook-url`: of this start, or, where the option is not given now, the latest of an earlier one. */
export function findSubscriptionOfStart(
  subscriptions: Iterable<Subscription>,
  url: string | undefined,
): Subscription | undefined {
  const all = [...subscriptions];
  const made = all.filter((each) => each.description === MADE_AT_START && isInUse(each));
  if (url === undefined) return made.sort((a, b) => (a.created_at < b.created_at ? -1 : 1)).at(-1);
  const isThere = (each: Subscription) => addressOf(each.url) === addressOf(url);
  return all.find((each) => isThere(each) && each.state === "ENABLED") ?? made.find(isThere);
}

/** The subscription that the sandbox made for the person who runs it or who made the world: of the start, or else of the world. */
export function findSubscription(subscriptions: Iterable<Subscription>, url: string | undefined) {
  const all = [...subscriptions];
  return findSubscriptionOfStart(all, url) ?? all.find((each) => each.description === MADE_WITH_WORLD && isInUse(each));
}

/** One that its receiver has ended by a 410 is still the one whose secret the receiver has; the disabled copy of a fork is nobody's. */
const isInUse = ({ state, pinned }: Subscription): boolean => state === "ENABLED" || pinned === true;

/** `secret`: 32 random bytes, as whsec_…. Rejects with INVALID_INPUT or SUBSCRIPTION_EXISTS. */
export const createSubscription = (tx: Transaction, input: SubscriptionInput, secret: string): Subscription =>
  make(tx, input, { id: tx.newId(), secret });

/**
 * One that stays, with its id and its secret, whatever the world becomes. Its id comes of its address, since no number of a world that is
 * put back may be given to another record; one that is there already, and was disabled, is enabled again.
 */
export function createPinned(tx: Transaction, input: SubscriptionInput, secret: string): Subscription {
  const id = tx.idFor(`subscription ${input.url}`);
  const known = tx.subscriptions.get(id);
  return known ? replaceSubscription(tx, known, input) : make(tx, input, { id, secret, pinned: true });
}

function make(
  tx: Transaction,
  input: SubscriptionInput,
  { id, ...own }: Pick<Subscription, "id" | "secret" | "pinned">,
): Subscription {
  const subscription = { id, ...check(tx, input), ...own, created_at: tx.now, updated_at: tx.now };
  tx.subscriptions.put(subscription);
  tx.emit("webhook_subscription.created", subscription.id);
  return subscription;
}

/** Full replacement: what the input leaves out is gone. Secrets stay: the receiver checks with them. */
export function replaceSubscription(
  tx: Transaction,
  subscription: Subscription,
  input: SubscriptionInput,
): Subscription {
  const { id, secret, previous_secret, pinned, created_at } = subscription;
  const replaced: Subscription = {
    id,
    ...check(tx, input, id),
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

/** By its fact the outbox drops what is not sent yet (assumption: subscription-delete). */
export function deleteSubscription(tx: Transaction, subscription: Subscription): void {
  tx.subscriptions.remove(subscription.id);
  tx.emit("webhook_subscription.deleted", subscription.id);
}

function check(
  tx: Transaction,
  { url, event_types, state, description, metadata }: SubscriptionInput,
  own?: string,
): SubscriptionInput {
  const reason = explainTarget(url);
  if (reason) reject("INVALID_INPUT", { path: "body.url", what: reason });
  // A kind named twice would be sent once all the same.
  const kinds = [...new Set(event_types)];
  // A disabled one gets nothing, so it conflicts with none.
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
  for (const { id, state, event_types } of tx.subscriptions.where("url", addressOf(url))) {
    const shared = event_types.filter((kind) => kinds.includes(kind));
    const isTwin = id !== own && state === "ENABLED" && shared.length > 0;
    const looked = () =>
      `${id} is ${state} for this url, with ${shared.length === 0 ? "no kind in common" : shared.join(", ")}`;
    must(tx, "SUBSCRIPTION_EXISTS", isTwin && { subscription_id: id, kinds: shared.join(", "), url }, looked);
  }
}

/** In characters (assumption: subscription-url-length). */
const MAX_URL_LENGTH = 2048;

/** Why a URL can't be a delivery target; undefined when it can. */
export function explainTarget(text: string): string | undefined {
  if (text.length > MAX_URL_LENGTH)
    return `the URL has ${text.length} characters, and at most ${MAX_URL_LENGTH} are allowed. Give a shorter one.`;
  if (!URL.canParse(text)) return `${text.slice(0, 100)} is not a URL. Give an absolute http or https address.`;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `${url.protocol.slice(0, 100)} can't be delivered to. Give an http or https address.`;
  if (url.port === "0") return "port 0 is no port that anybody can listen on. Give the port of the receiver.";
  if (url.username !== "" || url.password !== "")
    return "the URL carries credentials, which would end up in logs. Leave them out.";
  if (isLinkLocalOrMetadata(url.hostname))
    return `${url.hostname} is a link-local or metadata address, which is never sent to.`;
  return undefined;
}

/** The metadata services of clouds that are not at a link-local address: Alibaba, Oracle, Azure; Google and Amazon. */
const METADATA_ADDRESSES = ["100.100.100.200", "192.0.0.192", "168.63.129.16", "fd20:ce::254", "fd00:ec2::254"];
const METADATA = [...METADATA_ADDRESSES, "metadata", "metadata.google.internal"];

/** An address of the old kind inside one of the new: mapped, translated, compatible, behind NAT64, or by 6to4. */
const CARRIED = /^(?:(?:::(?:ffff:(?:0:)?)?|64:ff9b:(?:1:)?:)(\w+):(\w+)$|2002:(\w+):(\w*):)/;

/**
 * Takes a name as the URL parser has it, brackets, zone and final dot included. Fake events must not reach what hands
 * out credentials.
 */
export function isLinkLocalOrMetadata(hostname: string): boolean {
  const host = unwrapHost(hostname)
    .replace(/%.*|\.$/, "")
    .toLowerCase();
  if (isIP(host) !== 6) return /^169\.254\.\d+\.\d+$/.test(host) || METADATA.includes(host);
  // A URL writes it in its one canonical form.
  const address = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [, ...halves] = CARRIED.exec(address) ?? [];
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
