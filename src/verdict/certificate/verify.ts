// Whether a certificate is what it says, without asking anybody: the letters as they were signed, by whom, of which commit, and still valid.
import { base64url, calculateJwkThumbprint, flattenedVerify, importJWK, type JWK } from "jose";
import validators from "../../contract/generated/certificate-validators.js";
import { FORMATS, PATTERNS } from "../../engine/domain/kernel/forms.ts";
import type { Certificate } from "./certificate.ts";
import { ALGORITHM, TYPE } from "./sign.ts";

interface Verifying {
  /** Keys of the issuers that are trusted; without them the key in the certificate is taken, which proves no issuer. */
  jwks?: readonly JWK[] | undefined;
  /** What runs; at least seven letters of it. */
  commit?: string | undefined;
  /** Now, in milliseconds. */
  now: number;
}

export interface Verified {
  /** Undefined where its letters are not those that were signed, or are no certificate. */
  certificate: Certificate | undefined;
  /** RFC 7638 thumbprint of the key. */
  key: string | undefined;
  /** The key is one of those that are trusted. Without it a witness is only claimed: anybody can sign that there was one. */
  trusted: boolean;
  /** Each a sentence; none where it holds. */
  faults: readonly string[];
}

const CHANGED = "It was changed after it was signed: the signature does not fit what it says.";

/** Never rejects; what speaks against the certificate is in `faults`. */
export async function verified(text: string, { jwks, commit, now }: Verifying): Promise<Verified> {
  const none = { certificate: undefined, key: undefined, trusted: false };
  const read = partsOf(text);
  if (!read) return { ...none, faults: [NO_CERTIFICATE] };
  const { jws, header } = read;
  const key = await calculateJwkThumbprint(header.jwk).catch(() => undefined);
  // The name of the key has to follow from the key.
  if (key === undefined || key !== header.kid) return { ...none, key, faults: [CHANGED] };
  const message = await importJWK(header.jwk, ALGORITHM)
    .then((signer) => flattenedVerify(jws, signer, { algorithms: [ALGORITHM] }))
    .then(({ payload }) => new TextDecoder().decode(payload))
    .catch(() => undefined);
  if (message === undefined) return { ...none, key, faults: [CHANGED] };
  const certificate = certificateIn(message);
  if (typeof certificate === "string") return { ...none, key, faults: [certificate] };
  // By the thumbprint, whatever the set calls its keys.
  const keys = await Promise.all((jwks ?? []).map((each) => calculateJwkThumbprint(each).catch(() => undefined)));
  const trusted = keys.includes(key);
  const faults = [
    ...(jwks && !trusted
      ? [`Another issuer signed it: its key ${key} is none of the ${jwks.length} that are trusted.`]
      : []),
    ...whyNeverSigned(certificate),
    // A leap second is an instant that no number stands for.
    ...(Date.parse(certificate.expires) >= now
      ? []
      : [`It expired on ${certificate.expires.slice(0, 10)}. Certify anew.`]),
    ...(Date.parse(certificate.issued) <= now + SKEW_MS
      ? []
      : [`It was issued at ${certificate.issued}, which is to come.`]),
    ...(commit === undefined ? [] : problemsOfCommit(certificate, commit)),
  ];
  return { certificate, key, trusted, faults };
}

/** Whoever has a key can sign anything with it. The result is a sentence where it is no certificate. */
function certificateIn(message: string): Certificate | string {
  const given = readJson(message) as Partial<Certificate> | null | undefined;
  const version: unknown = given?.version;
  if (typeof version === "number" && version !== 1)
    return `It is a certificate of version ${version}, and this program knows version 1 alone. Install a newer one.`;
  const fits = given?.self_attested ? validators.CertificateFacts : validators.Certificate;
  if (!fits || fits(given)) return given as Certificate;
  const { instancePath = "", message: why = "", params = {} } = fits.errors?.[0] ?? {};
  const path = instancePath.slice(1).replaceAll("/", ".");
  const form = FORMATS[params.format] ?? PATTERNS[params.pattern];
  return `What was signed is no certificate: ${path || "it"} ${form === undefined ? why : `must be ${form}`}.`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A sandbox signs only where all was seen and nothing failed. */
function whyNeverSigned({ of, met, checks }: Certificate): string[] {
  const failed = checks.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
  return [
    ...(met === of ? [] : [`It has ${met} of ${of} that its profile asks for, and has to have all.`]),
    ...(failed.length === 0 ? [] : [`It was signed although these checks failed: ${failed.join(", ")}.`]),
  ];
}

const NO_CERTIFICATE =
  "It is no certificate: a JSON object with protected, payload and signature, as `sandbox certify` writes it, was looked for.";
/** Two clocks may differ by so much. */
const SKEW_MS = 300_000;

function problemsOfCommit({ subject }: Certificate, commit: string): string[] {
  if (subject.commit === null) return ["It names no commit: the program was judged outside of a repository."];
  // As git abbreviates; fewer letters name too many commits.
  const isSame = commit.length >= 7 && subject.commit.startsWith(commit.toLowerCase());
  if (!isSame) return [`It is of another commit: ${subject.commit}, and not ${commit}.`];
  return subject.clean ? [] : [`It is of commit ${subject.commit} with changes that are not in it.`];
}

interface Parts {
  jws: { protected: string; payload: string; signature: string };
  header: { kid: string; jwk: JWK };
}

function partsOf(text: string): Parts | undefined {
  try {
    const { protected: head, payload, signature, ...rest } = JSON.parse(text) as Record<string, unknown>;
    // Members that are not signed would be a place to write anything.
    if (![head, payload, signature].every(isCanonical) || Object.keys(rest).length > 0) return undefined;
    const header = JSON.parse(new TextDecoder().decode(base64url.decode(head as string)));
    if (header?.typ !== TYPE || header.alg !== ALGORITHM || typeof header.jwk !== "object") return undefined;
    return { jws: { protected: head, payload, signature } as Parts["jws"], header };
  } catch {
    return undefined;
  }
}

/** Its last letter has bits that no byte has, and a reader overlooks. */
const isCanonical = (part: unknown): boolean =>
  typeof part === "string" && base64url.encode(base64url.decode(part)) === part;
