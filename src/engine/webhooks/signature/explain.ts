// How a delivery is signed, step by step, for the person whose receiver refuses it. The secret itself is never shown.
import { hash } from "node:crypto";
import type { Schemas } from "../../../contract/schemas.ts";
import { isVersioned, type Material } from "./material.ts";

type SignatureView = Schemas["SignatureShown"];

/** Enough to tell two keys apart, and no help to find one. */
const computeFingerprint = (key: Buffer): string => hash("sha256", key, "hex").slice(0, 16);

export function showSignature(material: Material): SignatureView {
  const { message, delivery, attempt, timestamp, signedText, body, key, signature, header } = material;
  return {
    message_id: message.id,
    delivery_id: delivery.id,
    subscription_id: delivery.subscription_id,
    attempt,
    webhook_id: message.id,
    timestamp,
    signed_text: signedText,
    body,
    key_fingerprint: computeFingerprint(key),
    signature,
    header,
    steps: listSigningSteps(material),
    notes: describeNotes(material),
  };
}

function listSigningSteps(material: Material): string[] {
  const { delivery, key, form, message, timestamp, body, signedText, signature } = material;
  const bytes = Buffer.byteLength(signedText);
  const secret = `Take the secret of the subscription ${delivery.subscription_id}. It was shown once, when the subscription was made.`;
  const decoded = `Leave out its prefix \`whsec_\` and decode the rest as base64: ${key.length} bytes, the key. The SHA-256 of the key begins with ${computeFingerprint(key)}.`;
  const text = `Take the secret as it is, with its prefix, as the key: ${key.length} bytes. The SHA-256 of the key begins with ${computeFingerprint(key)}.`;
  return [
    secret,
    form === "text" ? text : decoded,
    `Take the header \`webhook-id\` (${message.id}), the header \`webhook-timestamp\` (${timestamp}) and the body as it came, before anything parses it (${Buffer.byteLength(body)} bytes). Join them with full stops: the text to sign, ${bytes} bytes.`,
    "Compute the HMAC-SHA256 of that text with the key: 32 bytes.",
    `Write them as base64, with padding: ${signature}.`,
    isVersioned(material)
      ? "The header `webhook-signature` has one signature or several, with a space between them, each after `v1,`. Compare with each, in constant time; one that fits is enough."
      : "Compare it with the header `webhook-signature`, in constant time.",
    "Refuse a timestamp that is more than five minutes off, so that nobody can send an old request again.",
  ];
}

const ALTERED = {
  body: "The body was altered on purpose after it was signed. A receiver must refuse it.",
  signature: "The signature was made over another text on purpose. A receiver must refuse it.",
  timestamp: "The timestamp is an hour old on purpose, and signed. A receiver must refuse it for its age.",
} as const;

/** What a reader has to know before he doubts his own code. */
export function describeNotes({ attempt, tamper, isReproduced }: Material): string[] {
  return [
    ...(attempt === null ? ["Nothing was sent yet: this is how it would be sent now."] : []),
    ...(tamper ? [ALTERED[tamper]] : []),
    ...(isReproduced
      ? []
      : [
          "The secret was changed since this was sent: the signature is by the present secret, the header by the one before.",
        ]),
  ];
}
