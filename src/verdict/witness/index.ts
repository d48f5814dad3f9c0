// The door of the witness: what a shared sandbox loads with the first certificate. It is a client of its own sandbox, as every judge is, so
// it reads worlds of other nodes too.
import type { Server } from "../../client/control.ts";
import { WITNESS } from "../../client/headers.ts";
import type { Certificates, Unsigned } from "../../engine/app/certificates.ts";
import type { CertificateStore } from "../../engine/world/store/certificate-store.ts";
import {
  ATTESTED,
  certificateOf,
  newKey,
  opened,
  publicOf,
  sealed,
  signed,
  WrongPassphrase,
} from "../certificate/index.ts";
import { judgedAnew } from "./judged-anew.ts";
import { type CertificateInput, NotWitnessed } from "./run-in-world.ts";

export interface WitnessNeeds {
  store: CertificateStore;
  /** Encrypts the private key in the database. */
  passphrase: string | undefined;
  /** This sandbox, with a token that may read every world. */
  server(): Server;
  /** Of a certificate; nobody can guess it. */
  newId(): string;
  /** Its address as others know it. */
  issuer(): string;
}

const NO_KEY: Unsigned = {
  code: "NO_CERTIFICATE_KEY",
  why: "This sandbox signs no certificates: it has no key. Start all its nodes with the same --certificate-key, a passphrase of at least 16 characters (SANDBOX_CERTIFICATE_KEY).",
};
const OTHER_KEY: Unsigned = {
  code: "NO_CERTIFICATE_KEY",
  why: "The key in the database was encrypted by another --certificate-key. Start the nodes with that one, or let the operator make a new key: sandbox certificates rotate-key.",
};

/** Each holds the logs of all its runs in memory. */
const MOST_AT_ONCE = 2;
let judging = 0;

/** Undefined: too many are being judged, and the caller says so. */
export async function issue(
  input: CertificateInput,
  team: string | null,
  needs: WitnessNeeds,
): ReturnType<Certificates["issue"]> {
  if (judging >= MOST_AT_ONCE) return undefined;
  judging++;
  try {
    return await witnessed(input, team, needs);
  } catch (reason) {
    if (reason instanceof WrongPassphrase) return OTHER_KEY;
    if (reason instanceof NotWitnessed) return { code: "NOT_WITNESSED", why: reason.message };
    throw reason;
  } finally {
    judging--;
  }
}

async function witnessed(input: CertificateInput, team: string | null, needs: WitnessNeeds) {
  const { store, passphrase, server, issuer } = needs;
  if (passphrase === undefined) return NO_KEY;
  // Before all the work: whether it can be signed.
  const key = await keyOf(store, passphrase);
  const { verdict, isRelayed, ...found } = await judgedAnew(input, { ...server(), headers: WITNESS });
  const id = needs.newId();
  const witness = { issuer: issuer(), id, team, attested: attestedIn(input, isRelayed) };
  const certificate = certificateOf(verdict, { ...found, subject: input.subject, witness });
  return store.addCertificate({ id, team, jws: await signed(certificate, key), expires_at: certificate.expires });
}

function attestedIn({ runs, soak, books }: CertificateInput, relay: boolean): string[] {
  const isProbed = runs.some(({ probe }) => probe !== null);
  const is = {
    subject: true,
    ended: true,
    probe: isProbed,
    relay,
    soak: soak !== undefined,
    books: books !== undefined,
  };
  return (Object.keys(ATTESTED) as (keyof typeof ATTESTED)[]).filter((what) => is[what]).map((what) => ATTESTED[what]);
}

async function keyOf(store: CertificateStore, passphrase: string) {
  const [signing] = await store.certificateKeys();
  const row = signing?.retired_at === null ? signing : await store.firstCertificateKey(await made(passphrase));
  return opened(row.sealed ?? "", passphrase);
}

/** Whether this node could sign, before anybody asks for it. A wrong passphrase stops no node, since the operator mends it by one that runs. */
export async function warningsOf({ store, passphrase }: WitnessNeeds): Promise<string[]> {
  const [signing] = await store.certificateKeys();
  if (passphrase === undefined || signing?.retired_at !== null) return [];
  return opened(signing.sealed ?? "", passphrase).then(
    () => [],
    (reason) => {
      if (reason instanceof WrongPassphrase) return [OTHER_KEY.why];
      throw reason;
    },
  );
}

async function made(passphrase: string) {
  const key = await newKey();
  const { kid, jwk } = await publicOf(key);
  return { kid, public: { ...jwk, kid, use: "sig", alg: "EdDSA" }, sealed: await sealed(key, passphrase) };
}

/** The old key goes on to verify what it signed. */
export async function rotate({ store, passphrase }: WitnessNeeds): ReturnType<Certificates["rotate"]> {
  return passphrase === undefined ? NO_KEY : store.rotateCertificateKey(await made(passphrase));
}
