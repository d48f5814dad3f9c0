// What people make of a key and a text: digests of several kinds, written in several ways; the right one first.
import { createHash, createHmac } from "node:crypto";
import { type Mistake, type SigningVariant, wrong } from "./mistake.ts";

const BASE64 = "Write the 32 bytes as base64 of the usual alphabet, with padding.";
const HMAC = "Compute an HMAC with SHA-256.";

/** How the bytes of a digest are written. */
const spellings: readonly ((digest: Buffer) => SigningVariant<string>)[] = [
  (digest) => ({ value: digest.toString("base64") }),
  (digest) => wrong("hex", digest.toString("hex"), "Your code writes the signature as hexadecimal digits.", BASE64),
  (digest) =>
    wrong("hex", digest.toString("hex").toUpperCase(), "Your code writes the signature as hexadecimal digits.", BASE64),
  (digest) =>
    wrong("base64url", digest.toString("base64url"), "Your code writes base64 of the alphabet for URLs.", BASE64),
  (digest) =>
    wrong("no-padding", digest.toString("base64").replaceAll("=", ""), "Your code leaves out the padding `=`.", BASE64),
  (digest) =>
    wrong(
      "base64-of-hex",
      Buffer.from(digest.toString("hex")).toString("base64"),
      "Your code writes hexadecimal digits, and those as base64.",
      BASE64,
    ),
];

/** Of a key and a text. */
const digests: readonly ((key: Buffer, text: string) => SigningVariant<Buffer>)[] = [
  (key, text) => ({ value: createHmac("sha256", key).update(text).digest() }),
  (key, text) => wrong("sha1", createHmac("sha1", key).update(text).digest(), "Your code uses SHA-1.", HMAC),
  (key, text) => wrong("sha512", createHmac("sha512", key).update(text).digest(), "Your code uses SHA-512.", HMAC),
  (key, text) =>
    wrong(
      "no-hmac",
      createHash("sha256").update(key).update(text).digest(),
      "Your code hashes the key and the text, without HMAC.",
      HMAC,
    ),
  (_, text) =>
    wrong("no-key", createHash("sha256").update(text).digest(), "Your code hashes the text without a key.", HMAC),
  (key, text) =>
    wrong(
      "key-and-text-swapped",
      createHmac("sha256", text).update(key).digest(),
      "Your code has the key and the text the other way round.",
      HMAC,
    ),
];

/** All that a key and a text lead to, with the mistakes on the way; the right one first. */
export function* resultsOf(
  key: SigningVariant<Buffer>,
  text: SigningVariant<string>,
): Generator<{ value: string; mistakes: Mistake[] }> {
  for (const digest of digests) {
    const made = digest(key.value, text.value);
    for (const spelling of spellings) {
      const { value, mistake } = spelling(made.value);
      const mistakes = [key.mistake, text.mistake, made.mistake, mistake].filter((each) => each !== undefined);
      yield { value, mistakes };
    }
  }
}
