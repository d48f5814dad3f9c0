// Compares a signature that somebody's code computed with the right one, and says what their code does otherwise.

import type { Schemas } from "../../../contract/schemas.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { keyBytes } from "../sign.ts";
import { fingerprintOf, notesOf } from "./explain.ts";
import type { Computed } from "./hints.ts";
import { hintsOf } from "./hints.ts";
import { keysOf, ofAnotherKey } from "./keys.ts";
import { isVersioned, type Material, secretsOf } from "./material.ts";
import type { Mistake, SigningVariant } from "./mistake.ts";
import { resultsOf } from "./results.ts";
import { type SignedParts, textsOf, textsOfOtherTimes } from "./texts.ts";

type Checked = Schemas["SignatureChecked"];

/** With or without `v1,`: which of the two is right depends on the world (assumption: signature-text). */
export function checked(tx: Transaction, material: Material, sent: Computed): Checked {
  // As people paste it, in quotes or not.
  const given = sent.computed.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const bare = unversioned(given);
  const parts: SignedParts = { id: material.message.id, timestamp: material.timestamp, body: material.body };
  const keys = material.secrets.flatMap((secret) => keysOf(secret, material.form));
  const others = otherKeys(tx, material);
  const hints = hintsOf(parts, sent);
  // By a secret that is gone: what the header has is all that is known of it.
  const isAsSent = isOfGoneSecret(material) && material.header.split(" ").some((each) => unversioned(each) === bare);
  const found = isAsSent ? [] : recognised({ parts, keys, others, texts: [...textsOf(parts), ...hints] }, bare);
  const mistakes = [
    ...(found ?? [...hints.flatMap(({ mistake }) => mistake ?? []), ...mistakeOfKey([...keys, ...others], sent)]),
    ...(given !== bare && !isVersioned(material) ? [VERSIONED] : []),
  ];
  const right = found !== undefined && mistakes.length === 0;
  return {
    right,
    mistakes,
    advice: right ? adviceFor(material) : mistakes.length > 0 ? CORRECT : unknown(material, sent),
  };
}

const unversioned = (signature: string): string => signature.replace(/^v1,/, "");

const CORRECT = "Correct that, and compare again.";
const VERSIONED: Mistake = {
  mistake: "version-prefix",
  what: "Your code writes `v1,` before the signature.",
  fix: "This world sends the signature bare (assumption signature-text): compare without `v1,`.",
};

const isOfGoneSecret = ({ isReproduced, tamper }: Material): boolean => !isReproduced && tamper === undefined;

function adviceFor(material: Material): string {
  if (isOfGoneSecret(material)) return "Right: it is the signature that was sent, by a secret that was changed since.";
  if (material.tamper) return `Your code computes it right. ${notesOf(material).join(" ")}`;
  return "Right. Compare it in constant time with each signature in the header `webhook-signature`.";
}

function unknown(material: Material, { signed_text, key_fingerprint }: Computed): string {
  const { key } = material;
  if (isOfGoneSecret(material))
    return `${notesOf(material).join(" ")} Whether this one is made right can't be said: send the message again, and compare with that attempt.`;
  const isKeyRight = key_fingerprint !== undefined && startsAlike(key_fingerprint, key);
  if (isKeyRight && signed_text !== undefined)
    return "The key and the text are right, so it is what your code does with them: an HMAC with SHA-256, written as base64.";
  const missing = [
    ...(signed_text === undefined ? ["what your code signs as `signed_text`"] : []),
    ...(key_fingerprint === undefined
      ? ["the first 16 hexadecimal digits of the SHA-256 of its key as `key_fingerprint`"]
      : []),
  ];
  const known = isKeyRight ? "The key is right. " : "";
  return `${known}No known mistake leads to this. Send ${missing.join(", and ")}: then it can be said what differs.`;
}

interface SigningVariants {
  parts: SignedParts;
  keys: readonly SigningVariant<Buffer>[];
  others: readonly SigningVariant<Buffer>[];
  texts: readonly SigningVariant<string>[];
}

/** The fewest mistakes that lead to it: none where it is right; undefined where no known ones do. */
function recognised({ parts, keys, others, texts }: SigningVariants, wanted: string): Mistake[] | undefined {
  const pairs = [
    ...keys.flatMap((key) => texts.map((text) => [key, text] as const)),
    // With another's key only the right text: two mistakes at once prove nothing.
    ...others.flatMap((key) => texts.slice(0, 1).map((text) => [key, text] as const)),
  ];
  let best: Mistake[] | undefined;
  for (const [key, text] of pairs) {
    for (const { value, mistakes } of resultsOf(key, text))
      if (value === wanted && (best === undefined || mistakes.length < best.length)) best = mistakes;
  }
  // Last, since it tries many seconds.
  return best ?? ofOtherTimes(parts, keys, wanted);
}

function ofOtherTimes(
  parts: SignedParts,
  keys: readonly SigningVariant<Buffer>[],
  wanted: string,
): Mistake[] | undefined {
  for (const text of textsOfOtherTimes(parts)) {
    for (const key of keys) {
      const [right] = resultsOf(key, text);
      if (right?.value === wanted) return right.mistakes;
    }
  }
  return undefined;
}

/** Keys that are somebody else's: of another subscription, of the other secret of this one, or a client secret. */
function otherKeys(tx: Transaction, { subscription, secrets, form }: Material): SigningVariant<Buffer>[] {
  const inHeader = new Set(secrets);
  const own = secretsOf(subscription).filter((secret) => !inHeader.has(secret));
  const foreign = [...tx.subscriptions.walk("created")].filter(({ id }) => id !== subscription.id);
  return [
    ...own.map((secret) => ofAnotherKey(keyBytes(secret, form), "another secret of this subscription: it was rotated")),
    ...foreign.map(({ id, secret }) => ofAnotherKey(keyBytes(secret, form), `the secret of the subscription ${id}`)),
    ...Array.from(tx.keys.walk("created"), ({ id, secret }) =>
      ofAnotherKey(Buffer.from(secret), `the client secret of the client ${id}`),
    ),
  ];
}

/** What the fingerprint of the key tells by itself. */
function mistakeOfKey(keys: readonly SigningVariant<Buffer>[], { key_fingerprint: print }: Computed): Mistake[] {
  if (print === undefined) return [];
  const known = keys.find(({ value }) => startsAlike(print, value));
  return known ? [known.mistake ?? []].flat() : [UNKNOWN_KEY];
}

const UNKNOWN_KEY: Mistake = {
  mistake: "other-key",
  what: "Your code has a key that is made of no secret of this world.",
  fix: "Take the secret that the answer to the making of the subscription had.",
};

function startsAlike(print: string, key: Buffer): boolean {
  const [given, known] = [print.trim().toLowerCase(), fingerprintOf(key)];
  // Eight digits are enough to be no accident.
  return given.length >= 8 && (known.startsWith(given) || given.startsWith(known));
}
