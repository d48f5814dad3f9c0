// Signs a certificate: a JWS (RFC 7515, flattened) by an Ed25519 key (RFC 8037), which is of the issuer. The public half is in its header.
import {
  calculateJwkThumbprint,
  exportJWK,
  FlattenedSign,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWK_OKP_Private,
} from "jose";
import type { Certificate } from "./certificate.ts";

export const TYPE = "sandbox-certificate+jws";
export const ALGORITHM = "EdDSA";

/** A private key, as it is written into a file. Extractable, since it is written into a file or sealed. */
export async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519", extractable: true });
  return exportJWK(privateKey);
}

/** Throws a sentence where the text is no private key of this kind. */
export function readKey(text: string): JWK {
  // What openssl and ssh-keygen write.
  if (/^\s*-----BEGIN /.test(text)) throw new Error("it is a PEM, and a private Ed25519 key as a JWK is needed");
  const { kty, crv, d, x } = (JSON.parse(text) ?? {}) as Partial<JWK_OKP_Private>;
  if (kty !== "OKP" || crv !== "Ed25519")
    throw new Error(
      `it is ${kty === undefined ? "no JWK" : `a key of ${[kty, crv].filter(Boolean).join(" ")}`}, and a private Ed25519 key is needed`,
    );
  if (typeof d !== "string" || typeof x !== "string")
    throw new Error("it is the public half of a key, and the private one is needed");
  // Other members are dropped: they would change nothing but the thumbprint of who reads carelessly.
  return { kty, crv, d, x };
}

/** The half that anybody may have, and the thumbprint that names it. */
export async function publicOf({ kty, crv, x }: JWK): Promise<{ kid: string; jwk: JWK }> {
  const jwk = { kty, crv, x } as JWK;
  return { kid: await calculateJwkThumbprint(jwk), jwk };
}

/** The whole file as text, with a final line break. */
export async function signed(certificate: Certificate, key: JWK): Promise<string> {
  const header = { alg: ALGORITHM, typ: TYPE, ...(await publicOf(key)) };
  const bytes = new TextEncoder().encode(JSON.stringify(certificate));
  const jws = await new FlattenedSign(bytes).setProtectedHeader(header).sign(await importJWK(key, ALGORITHM));
  return `${JSON.stringify(jws, null, 2)}\n`;
}
