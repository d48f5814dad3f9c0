// The keys that people make of a secret; the right one first.
import type { KeyForm } from "../sign.ts";
import { type SigningVariant, wrong } from "./mistake.ts";

const DECODE = "Leave out the prefix `whsec_` and decode the rest as base64: those bytes are the key.";
const AS_TEXT = "This world takes the secret's text, with its prefix, as the key (assumption signature-key).";

/** `form`: how this world makes the key (assumption: signature-key). */
export function keysOf(secret: string, form: KeyForm): SigningVariant<Buffer>[] {
  const bare = secret.replace(/^whsec_/, "");
  const decoded = Buffer.from(bare, "base64");
  const whole = Buffer.from(secret);
  const fix = form === "text" ? AS_TEXT : DECODE;
  const both = wrong(
    "prefix-decoded-too",
    Buffer.alloc(0),
    "Your code decodes the secret with its prefix `whsec_`.",
    fix,
  );
  return [
    { value: form === "text" ? whole : decoded },
    form === "text"
      ? wrong("key-decoded", decoded, "Your code decodes the secret as base64 for the key.", fix)
      : wrong(
          "key-not-decoded-with-prefix",
          whole,
          "Your code takes the text of the secret, with `whsec_`, as the key.",
          fix,
        ),
    wrong(
      "key-not-decoded",
      Buffer.from(bare),
      "Your code takes the text behind `whsec_` as the key, and does not decode it.",
      fix,
    ),
    // Decoders differ in what they do with the underscore: some take it, some skip it.
    { ...both, value: Buffer.from(secret, "base64") },
    { ...both, value: Buffer.from(secret.replace("_", ""), "base64") },
    wrong(
      "key-as-hex",
      Buffer.from(decoded.toString("hex")),
      "Your code takes the hexadecimal digits of the key as the key.",
      fix,
    ),
    wrong("key-read-as-hex", Buffer.from(bare, "hex"), "Your code reads the secret as hexadecimal digits.", fix),
  ];
}

/** `whose`: the end of the sentence "Your code has …". */
export const ofAnotherKey = (value: Buffer, whose: string): SigningVariant<Buffer> =>
  wrong(
    "other-secret",
    value,
    `Your code has ${whose}.`,
    "Take the secret of the subscription that the delivery is for.",
  );
