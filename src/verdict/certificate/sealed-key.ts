// A private key as it lies in a database: encrypted by a passphrase that is not there (JWE, RFC 7516, by PBES2, RFC 7518 4.8).
import { CompactEncrypt, compactDecrypt, type JWK } from "jose";
import { readKey } from "./sign.ts";

const [WRAPPED, ENCRYPTED] = ["PBES2-HS512+A256KW", "A256GCM"];
/** What OWASP asks for PBKDF2 with SHA-512. */
const ROUNDS = 210_000;

/** It was encrypted by another one. */
export class WrongPassphrase extends Error {}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The result is a compact JWE, safe to store. */
export function sealed(key: JWK, passphrase: string): Promise<string> {
  return new CompactEncrypt(bytesOf(JSON.stringify(key)))
    .setProtectedHeader({ alg: WRAPPED, enc: ENCRYPTED })
    .setKeyManagementParameters({ p2c: ROUNDS })
    .encrypt(bytesOf(passphrase));
}

/** Rejects with WrongPassphrase. Only our own algorithms are let in, so that a row can't choose a weaker one. */
export async function opened(text: string, passphrase: string): Promise<JWK> {
  const allowed = {
    keyManagementAlgorithms: [WRAPPED],
    contentEncryptionAlgorithms: [ENCRYPTED],
    // A row with a huge count would stop the node.
    maxPBES2Count: ROUNDS,
  };
  const { plaintext } = await compactDecrypt(text, bytesOf(passphrase), allowed).catch(() => {
    throw new WrongPassphrase();
  });
  return readKey(new TextDecoder().decode(plaintext));
}
