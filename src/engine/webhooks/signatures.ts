// Explains the signatures of deliveries, without showing the secret, and compares them with signatures that your receiver computed.

import { hash } from "node:crypto";
import type { Schemas } from "../../contract/schemas.ts";
import { mustExist } from "../domain/kernel/domain-error.ts";
import { loadSubscription } from "../domain/kernel/lookups.ts";
import type { Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { World } from "../world/state/world.ts";
import {
  computeHmac,
  computeTimestamp,
  type KeyForm,
  setTimestamp,
  sign,
  signMessage,
  tamperBody,
  tamperSignedContent,
  toKeyBytes,
} from "./sign.ts";

/** The defaults are the first delivery of the message and its last attempt. */
interface Choice {
  delivery?: string | undefined;
  attempt?: number | undefined;
}

interface SignatureDeps {
  read<T>(world: World, question: (tx: Transaction) => T): T;
  /** Returns the wall-clock time in milliseconds. */
  wall(): number;
}

/** Both functions reject with NOT_FOUND if the message, the delivery or the attempt does not exist. */
export function makeSignatures({ read, wall }: SignatureDeps) {
  return {
    signature: (world: World, id: string, chosen: Choice) =>
      read(world, (tx) => showSignature(collectInputs(tx, id, chosen, wall()))),
    checkSignature: (world: World, id: string, chosen: Choice, { computed }: Schemas["ComputedSignature"]) =>
      read(world, (tx) => checkSignature(tx, collectInputs(tx, id, chosen, wall()), computed)),
  };
}

type SignatureInputs = ReturnType<typeof collectInputs>;

/** Collects the inputs of a delivery's signature: those of one of its attempts, or those of an attempt that would be sent now. */
function collectInputs(tx: Transaction, messageId: string, { delivery: id, attempt }: Choice, wall: number) {
  const message = mustExist(tx.messages.get(messageId), "message", messageId);
  const deliveries = tx.deliveries.where("message", messageId);
  const chosen = id === undefined ? deliveries[0] : deliveries.find((each) => each.id === id);
  const delivery = mustExist(chosen, "delivery of this message", id ?? messageId);
  const { subscription_id, attempts, resend } = delivery;
  const subscription = loadSubscription(tx, subscription_id);
  const number = attempt ?? attempts.length;
  const sent = attempts[number - 1];
  if (attempt !== undefined) mustExist(sent, "attempt of this delivery", String(attempt));
  const tamper = sent ? sent.tamper : resend?.tamper;
  const timestamp = sent
    ? Number(sent.request.headers["webhook-timestamp"])
    : setTimestamp(computeTimestamp(tx, wall), tamper);
  const signed = tamperSignedContent({ id: messageId, timestamp, body: message.body }, tamper);
  const header = sent ? (sent.request.headers["webhook-signature"] ?? "") : signMessage(tx, subscription, signed);
  const form: KeyForm = tx.assumes("signature-key") === "text" ? "text" : "decoded";
  const stored = listSecrets(subscription);
  // The secret may have been rotated since, so the header decides which secrets were used.
  const inHeader = new Set(header.split(" ").map(removeVersion));
  const matching = stored.filter((secret) => inHeader.has(sign(signed, toKeyBytes(secret, form))));
  const secrets = matching.length > 0 ? matching : stored.slice(0, 1);
  return {
    delivery,
    /** The number of the attempt, from 1; null before the first. */
    attempt: sent ? number : null,
    timestamp: String(timestamp),
    /** The secrets of the signatures in the header: two while an old secret is still valid. */
    secrets,
    form,
    header,
    tamper,
    /** The sent body. It differs from the signed body if the body was altered intentionally. */
    body: tamperBody(message.body, tamper),
    signedText: `${signed.id}.${signed.timestamp}.${signed.body}`,
    /** The signature with the first secret. */
    signature: sign(signed, toKeyBytes(secrets[0] ?? "", form)),
    /** Whether a stored secret produces this header. */
    isReproduced: matching.length > 0,
  };
}

/** Lists the current secret first. */
const listSecrets = ({ secret, previous_secret: old }: Subscription): string[] =>
  old ? [secret, old.secret] : [secret];

const removeVersion = (signature: string): string => signature.replace(/^v1,/, "");

function showSignature(inputs: SignatureInputs): Schemas["SignatureShown"] {
  const { delivery, attempt, timestamp, body, signedText, signature, header } = inputs;
  const { message_id, subscription_id, id: delivery_id } = delivery;
  return {
    message_id,
    delivery_id,
    subscription_id,
    attempt,
    webhook_id: message_id,
    timestamp,
    body,
    signed_text: signedText,
    key_fingerprint: computeFingerprint(inputs),
    signature,
    header,
    steps: listSigningSteps(inputs),
    notes: listNotes(inputs),
  };
}

const getKey = ({ secrets, form }: SignatureInputs): Buffer => toKeyBytes(secrets[0] ?? "", form);

/** Returns a fingerprint that distinguishes two keys without revealing them. */
const computeFingerprint = (inputs: SignatureInputs): string => hash("sha256", getKey(inputs), "hex").slice(0, 16);

function listSigningSteps(inputs: SignatureInputs): string[] {
  const { delivery, form, timestamp, body, signedText, signature, header } = inputs;
  const key = `(${getKey(inputs).length} bytes). The SHA-256 of the key begins with ${computeFingerprint(inputs)}.`;
  return [
    `Take the secret of the subscription ${delivery.subscription_id}. The sandbox showed it once, when the subscription was created.`,
    form === "text"
      ? `Use the text of the secret, with its prefix, as the key ${key}`
      : `Remove its prefix \`whsec_\` and decode the rest as base64. The result is the key ${key}`,
    `Take the header \`webhook-id\` (${delivery.message_id}), the header \`webhook-timestamp\` (${timestamp}) and the unparsed body (${Buffer.byteLength(body)} bytes). Join them with full stops to get the text to sign (${Buffer.byteLength(signedText)} bytes).`,
    "Compute the HMAC-SHA256 of that text with the key (32 bytes).",
    `Encode the result as base64, with padding: ${signature}.`,
    isVersioned(header)
      ? "The header `webhook-signature` has one or more signatures, separated by spaces, each with the prefix `v1,`. Compare the result with each in constant time. One match is enough."
      : "Compare it with the header `webhook-signature`, in constant time.",
    "Reject a timestamp that is more than five minutes off, so that old requests can't be replayed.",
  ];
}

const isVersioned = (header: string): boolean => header.startsWith("v1,");

const ALTERED = {
  body: "The sandbox altered the body after signing, as requested. A receiver must reject it.",
  signature: "The sandbox signed another text, as requested. A receiver must reject it.",
  timestamp: "The sandbox signed a timestamp that is an hour old, as requested. A receiver must reject it for its age.",
} as const;
const NOT_REPRODUCED =
  "The secret, or the assumption signature-key, was changed since this attempt. The signature uses the current values, the header the previous ones.";

/** Lists reasons why a correct receiver may compute another signature or reject this one. */
function listNotes({ attempt, tamper, isReproduced }: SignatureInputs): string[] {
  return [
    ...(attempt === null ? ["No attempt was sent yet. This is the signature that would be sent now."] : []),
    ...(tamper ? [ALTERED[tamper]] : []),
    ...(isReproduced ? [] : [NOT_REPRODUCED]),
  ];
}

/** Checks the computed signature. The assumption signature-text decides whether it must have the prefix `v1,`. */
function checkSignature(tx: Transaction, inputs: SignatureInputs, computed: string): Schemas["SignatureChecked"] {
  // Users paste signatures with or without quotes.
  const given = computed.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const bare = removeVersion(given);
  const isCorrect = listCorrectSignatures(inputs).includes(bare);
  const mistake = isCorrect ? undefined : findCommonMistake(tx, inputs, bare);
  const mistakes = mistake ? [mistake] : [];
  if ((isCorrect || mistake) && given !== bare && !isVersioned(inputs.header)) mistakes.push(VERSION_PREFIX);
  const right = isCorrect && mistakes.length === 0;
  const sentence = right ? CORRECT : UNKNOWN_MISTAKE;
  const advice = mistakes.length > 0 ? FIX_IT : [sentence, ...listNotes(inputs)].join(" ");
  return { right, mistakes, signed_text: inputs.signedText, advice };
}

const FIX_IT = "Fix this mistake, then compare again.";
const CORRECT = "Correct. Compare it in constant time with each signature in the header `webhook-signature`.";
const UNKNOWN_MISTAKE =
  "No common mistake leads to this signature. Compare the text that your code signs with `signed_text`, byte by byte, and then the key with its fingerprint.";

/** The header of an altered delivery is wrong intentionally, so the correct signature of what was sent is computed. */
function listCorrectSignatures(inputs: SignatureInputs): string[] {
  const { tamper, header, secrets, form, delivery, timestamp, body } = inputs;
  if (!tamper) return header.split(" ").map(removeVersion);
  const sent = { id: delivery.message_id, timestamp: Number(timestamp), body };
  return secrets.map((secret) => sign(sent, toKeyBytes(secret, form)));
}

type SignatureMistake = Schemas["SignatureMistake"];

interface CommonMistake extends SignatureMistake {
  /** The form of the key with which it is a mistake. Default: both. */
  form?: KeyForm;
  /** Computes the signatures that this mistake leads to. `key` is the correct key of the secret. */
  compute(inputs: SignatureInputs, secret: string, key: Buffer): string[];
}

const DECODE = "Remove the prefix `whsec_` and decode the rest as base64: those bytes are the key.";
const JOIN = "Sign `{webhook-id}.{webhook-timestamp}.{body}`: the two headers and the body, joined with full stops.";

const COMMON_MISTAKES: readonly CommonMistake[] = [
  {
    mistake: "key-not-decoded",
    what: "Your code uses the text after `whsec_` as the key without decoding it.",
    fix: DECODE,
    compute: ({ signedText }, secret) => [computeHmac(secret.replace(/^whsec_/, ""), signedText)],
  },
  {
    mistake: "key-with-prefix",
    what: "Your code uses the text of the secret, with `whsec_`, as the key.",
    fix: DECODE,
    form: "decoded",
    compute: ({ signedText }, secret) => [computeHmac(secret, signedText)],
  },
  {
    mistake: "key-decoded",
    what: "Your code decodes the secret as base64 for the key.",
    fix: "This world uses the text of the secret, with its prefix, as the key (assumption signature-key).",
    form: "text",
    compute: ({ signedText }, secret) => [computeHmac(toKeyBytes(secret, "decoded"), signedText)],
  },
  {
    mistake: "body-alone",
    what: "Your code signs the body alone.",
    fix: JOIN,
    compute: ({ body }, _, key) => [computeHmac(key, body)],
  },
  {
    mistake: "id-missing",
    what: "Your code signs the timestamp and the body, without the id.",
    fix: JOIN,
    compute: ({ timestamp, body }, _, key) => [computeHmac(key, `${timestamp}.${body}`)],
  },
  {
    mistake: "body-written-again",
    what: "Your code parses the body and signs JSON that it serialized again.",
    fix: "Sign the bytes of the body exactly as you received them, before you parse them.",
    compute: ({ delivery, timestamp, body }, _, key) =>
      rewriteBody(body).map((text) => computeHmac(key, `${delivery.message_id}.${timestamp}.${text}`)),
  },
  {
    mistake: "hex",
    what: "Your code writes the signature as hexadecimal digits.",
    fix: "Write the 32 bytes as base64, with padding.",
    compute({ signedText }, _, key) {
      const digits = Buffer.from(computeHmac(key, signedText), "base64").toString("hex");
      return [digits, digits.toUpperCase()];
    },
  },
];

const OTHER_SECRET: SignatureMistake = {
  mistake: "other-secret",
  what: "Your code uses the secret of another subscription, or a secret that was rotated.",
  fix: "Use the current secret of the subscription of this delivery.",
};

const VERSION_PREFIX: SignatureMistake = {
  mistake: "version-prefix",
  what: "Your code writes `v1,` before the signature.",
  fix: "This world sends the signature without `v1,` (assumption signature-text).",
};

/** Returns undefined if no common mistake leads to the signature. */
function findCommonMistake(tx: Transaction, inputs: SignatureInputs, bare: string): SignatureMistake | undefined {
  const { secrets, form, signedText } = inputs;
  const computeAll = ({ compute }: CommonMistake) =>
    secrets.flatMap((secret) => compute(inputs, secret, toKeyBytes(secret, form)));
  const found = COMMON_MISTAKES.find((row) => (row.form ?? form) === form && computeAll(row).includes(bare));
  if (found) return { mistake: found.mistake, what: found.what, fix: found.fix };
  const secretsOfOthers = [...tx.subscriptions.walk("created")].flatMap(listSecrets);
  const others = secretsOfOthers.map((secret) => computeHmac(toKeyBytes(secret, form), signedText));
  return others.includes(bare) ? OTHER_SECRET : undefined;
}

/** Serializes the body as JSON libraries do: with spaces after colons and commas, indented, and compact. */
function rewriteBody(body: string): string[] {
  const message = JSON.parse(body);
  const spaced = JSON.stringify(message, null, 1)
    .replaceAll(/,\n\s*/g, ", ")
    .replaceAll(/\n\s*/g, "");
  return [spaced, JSON.stringify(message, null, 2), JSON.stringify(message)];
}
