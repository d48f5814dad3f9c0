// Compares a signature that an integrator's code computed with the correct one, and detects common mistakes.

import { createHmac } from "node:crypto";
import type { Schemas } from "../../../contract/schemas.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { toKeyBytes } from "../sign.ts";
import { describeNotes } from "./explain.ts";
import { isVersioned, listSecrets, type Material } from "./material.ts";

type SignatureMistake = Schemas["SignatureMistake"];

interface CommonMistake extends SignatureMistake {
  /** Computes the signatures that this mistake leads to. */
  compute(tx: Transaction, material: Material): string[];
}

const DECODE = "Remove the prefix `whsec_` and decode the rest as base64: those bytes are the key.";
const JOIN = "Sign `{webhook-id}.{webhook-timestamp}.{body}`: the two headers and the body, joined with full stops.";

const COMMON_MISTAKES: readonly CommonMistake[] = [
  {
    mistake: "key-not-decoded",
    what: "Your code uses the text after `whsec_` as the key without decoding it.",
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
    what: "Your code parses the body and signs JSON that it serialized again.",
    fix: "Sign the bytes of the body exactly as you received them, before you parse them.",
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
    what: "Your code uses the secret of another subscription, or a secret that was rotated.",
    fix: "Use the current secret of the subscription of this delivery.",
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

/** Checks the computed signature. The assumption signature-text decides whether it must have the prefix `v1,`. */
export function checkSignature(tx: Transaction, material: Material, computed: string): Schemas["SignatureChecked"] {
  // Users paste signatures with or without quotes.
  const given = computed.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const bare = removeVersion(given);
  const mistakes = isCorrect(material, bare) ? [] : findMistakes(tx, material, bare);
  if (mistakes !== undefined && given !== bare && !isVersioned(material)) mistakes.push(VERSION_PREFIX);
  const right = mistakes?.length === 0;
  const advice = right ? adviseOnCorrect(material) : mistakes ? FIX_IT : adviseOnUnknown(material);
  return { right, mistakes: mistakes ?? [], signed_text: material.signedText, advice };
}

const FIX_IT = "Fix this mistake, then compare again.";

function isCorrect(material: Material, bare: string): boolean {
  // A signature with a replaced secret is only known from the header.
  if (hasOldSecret(material)) return material.header.split(" ").some((each) => removeVersion(each) === bare);
  const { secrets, form, message, timestamp, body } = material;
  const text = `${message.id}.${timestamp}.${body}`;
  return secrets.map((secret) => toSignature(toKeyBytes(secret, form), text)).includes(bare);
}

/** Returns undefined if no common mistake leads to the signature. */
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

/** Serializes the body as JSON libraries do: with spaces after colons and commas, indented, and compact. */
function rewriteBody(body: string): string[] {
  try {
    const indented = JSON.stringify(JSON.parse(body), null, 1);
    const spaced = indented.replaceAll(/,\n\s*/g, ", ").replaceAll(/\n\s*/g, "");
    return [spaced, JSON.stringify(JSON.parse(body), null, 2), JSON.stringify(JSON.parse(body))];
  } catch {
    return [];
  }
}

const hasOldSecret = ({ isReproduced, tamper }: Material): boolean => !isReproduced && tamper === undefined;

function adviseOnCorrect(material: Material): string {
  if (hasOldSecret(material)) return "Correct: this signature was sent, with a secret that was changed since.";
  if (material.tamper) return `Your code computes the signature correctly. ${describeNotes(material).join(" ")}`;
  return "Correct. Compare it in constant time with each signature in the header `webhook-signature`.";
}

function adviseOnUnknown(material: Material): string {
  if (hasOldSecret(material))
    return `${describeNotes(material).join(" ")} Send the message again, and compare with that attempt.`;
  return "No common mistake leads to this signature. Compare the text that your code signs with `signed_text`, byte by byte, and then the key with its fingerprint.";
}
