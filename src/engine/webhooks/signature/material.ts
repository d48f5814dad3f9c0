// Collects the inputs of a delivery's signature: those of one of its attempts, or those of an attempt that would be sent now.
import { mustExist } from "../../domain/kernel/domain-error.ts";
import type { Attempt, Delivery, Message, Subscription, Tamper } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { computeTimestamp, type KeyForm, type Signable, sign, signMessage, toKeyBytes } from "../sign.ts";
import { setTimestamp, tamperBody, tamperSignedContent } from "../tamper.ts";

export interface Material {
  message: Message;
  delivery: Delivery;
  subscription: Subscription;
  /** The number of the attempt, from 1; null before the first. */
  attempt: number | null;
  timestamp: string;
  /** The sent body. It differs from the signed body if the body was altered intentionally. */
  body: string;
  signedText: string;
  /** The secrets of the signatures in the header: two while an old secret is still valid. */
  secrets: readonly string[];
  /** The key of the first secret. */
  key: Buffer;
  form: KeyForm;
  signature: string;
  header: string;
  tamper: Tamper | undefined;
  /** Whether a stored secret produces this header. */
  isReproduced: boolean;
}

/** The defaults are the first delivery of the message and its last attempt. */
export interface Choice {
  delivery?: string | undefined;
  attempt?: number | undefined;
}

/** `wall` is the real time in milliseconds, for a signature that was not sent yet. Rejects with NOT_FOUND. */
export function collect(tx: Transaction, message: Message, { delivery: id, attempt }: Choice, wall: number): Material {
  const deliveries = tx.deliveries.where("message", message.id);
  const delivery = mustExist(
    id === undefined ? deliveries[0] : deliveries.find((each) => each.id === id),
    "delivery of this message",
    id ?? message.id,
  );
  const subscription = mustExist(
    tx.subscriptions.get(delivery.subscription_id),
    "webhook subscription",
    delivery.subscription_id,
  );
  const number = attempt ?? delivery.attempts.length;
  const sent = delivery.attempts[number - 1];
  if (attempt !== undefined) mustExist(sent, "attempt of this delivery", String(attempt));
  const shared = { message, delivery, subscription, attempt: sent ? number : null };
  return sent ? buildSent(tx, shared, sent) : buildNext(tx, shared, wall);
}

type Target = Pick<Material, "message" | "delivery" | "subscription" | "attempt">;

function buildSent(tx: Transaction, shared: Target, { request, tamper }: Attempt): Material {
  const header = request.headers["webhook-signature"] ?? "";
  const timestamp = Number(request.headers["webhook-timestamp"]);
  return build(tx, shared, { timestamp, tamper, toHeader: () => header });
}

function buildNext(tx: Transaction, shared: Target, wall: number): Material {
  const tamper = shared.delivery.resend?.tamper;
  const timestamp = setTimestamp(computeTimestamp(tx, wall), tamper);
  return build(tx, shared, { timestamp, tamper, toHeader: (signed) => signMessage(tx, shared.subscription, signed) });
}

interface SentSignature {
  timestamp: number;
  tamper: Tamper | undefined;
  toHeader(signed: Signable): string;
}

function build(tx: Transaction, shared: Target, { timestamp, tamper, toHeader }: SentSignature): Material {
  const { message, subscription } = shared;
  const signed = tamperSignedContent({ id: message.id, timestamp, body: message.body }, tamper);
  const header = toHeader(signed);
  const inHeader = new Set(header.split(" ").map((each) => each.replace(/^v1,/, "")));
  const all = listKeyForms(tx).flatMap((form) => listSecrets(subscription).map((secret) => ({ form, secret })));
  // The secret may have been rotated since, so the header decides which secrets were used.
  const matching = all.filter(({ form, secret }) => inHeader.has(sign(signed, toKeyBytes(secret, form))));
  const { form, secret } = (matching[0] ?? all[0]) as (typeof all)[number];
  return {
    ...shared,
    ...{ form, header, tamper, timestamp: String(timestamp), key: toKeyBytes(secret, form) },
    secrets: matching.length > 0 ? matching.map((each) => each.secret) : [secret],
    body: tamperBody(message.body, tamper),
    signedText: `${signed.id}.${signed.timestamp}.${signed.body}`,
    signature: sign(signed, toKeyBytes(secret, form)),
    isReproduced: matching.length > 0,
  };
}

/** Lists the current secret first. */
export const listSecrets = ({ secret, previous_secret: old }: Subscription): string[] =>
  old ? [secret, old.secret] : [secret];

/** Lists the form that the world assumes first. The assumption may have been different when the attempt was sent. */
const listKeyForms = (tx: Transaction): KeyForm[] =>
  tx.assumes("signature-key") === "text" ? ["text", "decoded"] : ["decoded", "text"];

/** Returns whether the header has the versioned form. */
export const isVersioned = ({ header }: Material): boolean => header.startsWith("v1,");
