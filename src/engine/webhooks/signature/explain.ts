// Explains step by step how a delivery is signed, without showing the secret.
import { hash } from "node:crypto";
import type { Schemas } from "../../../contract/schemas.ts";
import { isVersioned, type Material } from "./material.ts";

type SignatureView = Schemas["SignatureShown"];

/** Returns a fingerprint that distinguishes two keys without revealing them. */
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
  const secret = `Take the secret of the subscription ${delivery.subscription_id}. The sandbox showed it once, when the subscription was created.`;
  const decoded = `Remove its prefix \`whsec_\` and decode the rest as base64. The result is the key (${key.length} bytes). The SHA-256 of the key begins with ${computeFingerprint(key)}.`;
  const text = `Use the text of the secret, with its prefix, as the key (${key.length} bytes). The SHA-256 of the key begins with ${computeFingerprint(key)}.`;
  return [
    secret,
    form === "text" ? text : decoded,
    `Take the header \`webhook-id\` (${message.id}), the header \`webhook-timestamp\` (${timestamp}) and the unparsed body (${Buffer.byteLength(body)} bytes). Join them with full stops to get the text to sign (${bytes} bytes).`,
    "Compute the HMAC-SHA256 of that text with the key (32 bytes).",
    `Encode the result as base64, with padding: ${signature}.`,
    isVersioned(material)
      ? "The header `webhook-signature` has one or more signatures, separated by spaces, each with the prefix `v1,`. Compare the result with each in constant time. One match is enough."
      : "Compare it with the header `webhook-signature`, in constant time.",
    "Reject a timestamp that is more than five minutes off, so that old requests can't be replayed.",
  ];
}

const ALTERED = {
  body: "The sandbox altered the body after signing, as requested. A receiver must reject it.",
  signature: "The sandbox signed another text, as requested. A receiver must reject it.",
  timestamp: "The sandbox signed a timestamp that is an hour old, as requested. A receiver must reject it for its age.",
} as const;

/** Lists reasons why a correct receiver may compute another signature or reject this one. */
export function describeNotes({ attempt, tamper, isReproduced }: Material): string[] {
  return [
    ...(attempt === null ? ["No attempt was sent yet. This is the signature that would be sent now."] : []),
    ...(tamper ? [ALTERED[tamper]] : []),
    ...(isReproduced
      ? []
      : [
          "The secret was changed since this attempt. The signature uses the current secret, the header the previous one.",
        ]),
  ];
}
