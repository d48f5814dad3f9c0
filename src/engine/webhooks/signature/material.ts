// All that the signature of one delivery is made of: as it was sent by one of its attempts, or as it would be sent now.
import { found } from "../../domain/kernel/domain-error.ts";
import type { Attempt, Delivery, Message, Subscription, Tamper } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { type KeyForm, readTimestamp, type Signed, sign, signMessage, toKeyBytes } from "../sign.ts";
import { setTimestamp, tamperBody, tamperSignedContent } from "../tamper.ts";

export interface Material {
  message: Message;
  delivery: Delivery;
  subscription: Subscription;
  /** From 1; null before the first. */
  attempt: number | null;
  timestamp: string;
  /** As it is sent, and as it is signed: they differ where the body was altered on purpose. */
  body: string;
  signedText: string;
  /** The secrets of the signatures in the header: two while an old one is still valid. */
  secrets: readonly string[];
  /** Of the first of them. */
  key: Buffer;
  form: KeyForm;
  signature: string;
  header: string;
  tamper: Tamper | undefined;
  /** Whether the secrets that are known make this header. */
  isReproduced: boolean;
}

/** Without a delivery the first one of the message; without an attempt the last. */
export interface Chosen {
  delivery?: string | undefined;
  attempt?: number | undefined;
}

/** `wall`: real milliseconds, for a signature that is yet to be made. Rejects with NOT_FOUND. */
export function collect(tx: Transaction, message: Message, { delivery: id, attempt }: Chosen, wall: number): Material {
  const deliveries = tx.deliveries.where("message", message.id);
  const delivery = found(
    id === undefined ? deliveries[0] : deliveries.find((each) => each.id === id),
    "delivery of this message",
    id ?? message.id,
  );
  const subscription = found(
    tx.subscriptions.get(delivery.subscription_id),
    "webhook subscription",
    delivery.subscription_id,
  );
  // Counted from 1.
  const number = attempt ?? delivery.attempts.length;
  const sent = delivery.attempts[number - 1];
  if (attempt !== undefined) found(sent, "attempt of this delivery", String(attempt));
  const shared = { message, delivery, subscription, attempt: sent ? number : null };
  return sent ? readSent(tx, shared, sent) : buildNow(tx, shared, wall);
}

type Shared = Pick<Material, "message" | "delivery" | "subscription" | "attempt">;

function readSent(tx: Transaction, shared: Shared, { request, tamper }: Attempt): Material {
  const header = request.headers["webhook-signature"] ?? "";
  const timestamp = Number(request.headers["webhook-timestamp"]);
  return build(tx, shared, { timestamp, tamper, headerOf: () => header });
}

function buildNow(tx: Transaction, shared: Shared, wall: number): Material {
  const tamper = shared.delivery.resend?.tamper;
  const timestamp = setTimestamp(readTimestamp(tx, wall), tamper);
  return build(tx, shared, { timestamp, tamper, headerOf: (signed) => signMessage(tx, shared.subscription, signed) });
}

interface SentSignature {
  timestamp: number;
  tamper: Tamper | undefined;
  headerOf(signed: Signed): string;
}

function build(tx: Transaction, shared: Shared, { timestamp, tamper, headerOf }: SentSignature): Material {
  const { message, subscription } = shared;
  const signed = tamperSignedContent({ id: message.id, timestamp, body: message.body }, tamper);
  const header = headerOf(signed);
  const inHeader = new Set(header.split(" ").map((each) => each.replace(/^v1,/, "")));
  const all = listKeyForms(tx).flatMap((form) => listSecrets(subscription).map((secret) => ({ form, secret })));
  // A secret may have been rotated since: those that make this header are the ones it was made by.
  const fitting = all.filter(({ form, secret }) => inHeader.has(sign(signed, toKeyBytes(secret, form))));
  const { form, secret } = (fitting[0] ?? all[0]) as (typeof all)[number];
  return {
    ...shared,
    ...{ form, header, tamper, timestamp: String(timestamp), key: toKeyBytes(secret, form) },
    secrets: fitting.length > 0 ? fitting.map((each) => each.secret) : [secret],
    body: tamperBody(message.body, tamper),
    signedText: `${signed.id}.${signed.timestamp}.${signed.body}`,
    signature: sign(signed, toKeyBytes(secret, form)),
    isReproduced: fitting.length > 0,
  };
}

/** The present one first. */
export const listSecrets = ({ secret, previous_secret: old }: Subscription): string[] =>
  old ? [secret, old.secret] : [secret];

/** The form that the world assumes comes first; it may have been another when the attempt was sent. */
const listKeyForms = (tx: Transaction): KeyForm[] =>
  tx.assumes("signature-key") === "text" ? ["text", "decoded"] : ["decoded", "text"];

/** Whether headers have the versioned form now. */
export const isVersioned = ({ header }: Material): boolean => header.startsWith("v1,");
