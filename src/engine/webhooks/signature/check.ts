// Compares a signature that the code of an integrator computed with the right one, and names the mistake if it is one of the most common.

import { createHmac } from "node:crypto";
import type { Schemas } from "../../../contract/schemas.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { toKeyBytes } from "../sign.ts";
import { describeNotes } from "./explain.ts";
import { isVersioned, listSecrets, type Material } from "./material.ts";

type SignatureMistake = Schemas["SignatureMistake"];

interface CommonMistake extends SignatureMistake {
  /** The signatures that this mistake leads to. */
  compute(tx: Transaction, material: Material): string[];
}

const DECODE = "Remove the prefix `whsec_` and decode the rest as base64: those bytes are the key.";
const JOIN = "Sign `{webhook-id}.{webhook-timestamp}.{body}`: the two headers and the body, joined with full stops.";

const COMMON_MISTAKES: readonly CommonMistake[] = [
  {
    mistake: "key-not-decoded",
    what: "Your code uses the text behind `whsec_` as the key, and does not decode it.",
    fix: DECODE,
    compute: (_, { secrets, signedText }) =>
      secrets.map((secret) => toSignature(secret.replace(/^whsec_/, ""), signedText)),
  },
  {
    mistake: "key-with-prefix",
    what: "Your code uses the text of the secret, with `whsec_`, as the key.",
    fix: DECODE,
    compute: (_, { secrets, signedText, form }) =>
      form === "text" ? [] : secrets.map((secret) => toSignature(secret, signedText)),
  },
  {
    mistake: "key-decoded",
    what: "Your code decodes the secret as base64 for the key.",
    fix: "This world uses the text of the secret, with its prefix, as the key (assumption signature-key).",
    compute: (_, { secrets, signedText, form }) =>
      form === "text" ? secrets.map((secret) => toSignature(toKeyBytes(secret, "decoded"), signedText)) : [],
  },
  {
    mistake: "body-alone",
    what: "Your code signs the body alone.",
    fix: JOIN,
    compute: (_, { secrets, form, body }) => secrets.map((secret) => toSignature(toKeyBytes(secret, form), body)),
  },
  {
    mistake: "id-missing",
    what: "Your code signs the timestamp and the body, without the id.",
    fix: JOIN,
    compute: (_, { secrets, form, timestamp, body }) =>
      secrets.map((secret) => toSignature(toKeyBytes(secret, form), `${timestamp}.${body}`)),
  },
  {
    mistake: "body-written-again",
    what: "Your code parses the body and signs the text that it writes again.",
    fix: "Use the bytes of the body as you received them, before anything parses them.",
    compute: (_, { secrets, form, message, timestamp, body }) =>
      secrets.flatMap((secret) =>
        rewriteBody(body).map((text) => toSignature(toKeyBytes(secret, form), `${message.id}.${timestamp}.${text}`)),
      ),
  },
  {
    mistake: "hex",
    what: "Your code writes the signature as hexadecimal digits.",
    fix: "Write the 32 bytes as base64, with padding.",
    compute: (_, { secrets, form, signedText }) =>
      secrets.flatMap((secret) => {
        const digits = createHmac("sha256", toKeyBytes(secret, form)).update(signedText).digest("hex");
        return [digits, digits.toUpperCase()];
      }),
  },
  {
    mistake: "other-secret",
    what: "Your code uses the secret of another subscription, or one that was rotated.",
    fix: "Use the secret of the subscription that the delivery is for.",
    compute: (tx, { form, signedText }) =>
      [...tx.subscriptions.walk("created")]
        .flatMap(listSecrets)
        .map((secret) => toSignature(toKeyBytes(secret, form), signedText)),
  },
];

const VERSION_PREFIX: SignatureMistake = {
  mistake: "version-prefix",
  what: "Your code writes `v1,` before the signature.",
  fix: "This world sends the signature without `v1,` (assumption signature-text).",
};

/** Whether `v1,` belongs before the signature depends on the world (assumption: signature-text). */
export function checkSignature(tx: Transaction, material: Material, computed: string): Schemas["SignatureChecked"] {
  // People paste it with quotes or without.
  const given = computed.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const bare = removeVersion(given);
  const mistakes = isRight(material, bare) ? [] : findMistakes(tx, material, bare);
  if (mistakes !== undefined && given !== bare && !isVersioned(material)) mistakes.push(VERSION_PREFIX);
  const right = mistakes?.length === 0;
  const advice = right ? adviseOnRight(material) : mistakes ? CORRECT : adviseOnUnknown(material);
  return { right, mistakes: mistakes ?? [], signed_text: material.signedText, advice };
}

const CORRECT = "Correct that, and compare again.";

function isRight(material: Material, bare: string): boolean {
  // The sandbox knows a signature by a secret that is gone only from the header.
  if (isOfGoneSecret(material)) return material.header.split(" ").some((each) => removeVersion(each) === bare);
  const { secrets, form, message, timestamp, body } = material;
  const text = `${message.id}.${timestamp}.${body}`;
  return secrets.map((secret) => toSignature(toKeyBytes(secret, form), text)).includes(bare);
}

/** Undefined if no common mistake leads to the signature. */
function findMistakes(tx: Transaction, material: Material, bare: string): SignatureMistake[] | undefined {
  const found = COMMON_MISTAKES.find(({ compute }) => compute(tx, material).includes(bare));
  return found && [{ mistake: found.mistake, what: found.what, fix: found.fix }];
}

function removeVersion(signature: string): string {
  return signature.replace(/^v1,/, "");
}

function toSignature(key: Buffer | string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64");
}

/** As JSON libraries write it: with spaces after colons and commas, and indented. */
function rewriteBody(body: string): string[] {
  try {
    const indented = JSON.stringify(JSON.parse(body), null, 1);
    const spaced = indented.replaceAll(/,\n\s*/g, ", ").replaceAll(/\n\s*/g, "");
    return [spaced, JSON.stringify(JSON.parse(body), null, 2), JSON.stringify(JSON.parse(body))];
  } catch {
    return [];
  }
}

const isOfGoneSecret = ({ isReproduced, tamper }: Material): boolean => !isReproduced && tamper === undefined;

function adviseOnRight(material: Material): string {
  if (isOfGoneSecret(material)) return "Right: it is the signature that was sent, by a secret that was changed since.";
  if (material.tamper) return `Your code computes it right. ${describeNotes(material).join(" ")}`;
  return "Right. Compare it in constant time with each signature in the header `webhook-signature`.";
}

function adviseOnUnknown(material: Material): string {
  if (isOfGoneSecret(material))
    return `${describeNotes(material).join(" ")} Send the message again, and compare with that attempt.`;
  return "No common mistake leads to this. Compare the text that your code signs with `signed_text`, byte by byte, and then the key with its fingerprint.";
}
