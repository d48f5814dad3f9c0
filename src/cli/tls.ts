// Returns the certificate of `sandbox start --https`: that of --tls-cert and --tls-key, or a generated one in `.sandbox`.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { dirname, join } from "node:path";
import { readBounded } from "../platform/bounded-file.ts";
import { isLoopback } from "../platform/loopback.ts";
import { CERTIFICATE_FILE } from "../platform/own-certificates.ts";
import { unwrapHost } from "../platform/unbracketed.ts";
import { wallClock } from "../sandbox.ts";
import { Failure, Misuse, readInput, toMessage } from "./failure.ts";
import type { Given } from "./options.ts";
import { displayPath, getServerFile, makeSandboxFolder } from "./server-file.ts";
import { replaceFile } from "./whole-file.ts";

interface KeyPair {
  key: string;
  cert: string;
}

export interface Tls extends KeyPair {
  /** The SHA-256 of the certificate. */
  fingerprint: string;
  /** The path of the certificate file for clients. */
  file: string;
}

const MAX_FILE_SIZE = 1024 * 1024;
const KEY_FILE = "tls-key.pem";
const DAY_MS = 86_400_000;

/** Returns undefined without HTTPS. Throws a Misuse for unusable files, and a Failure if `.sandbox` can't be written. */
export async function readTls(
  given: Given,
  { data, host }: { data: string | undefined; host: string },
): Promise<Tls | undefined> {
  const [certFile, keyFile] = [given.text("tls-cert"), given.text("tls-key")];
  const isGiven = certFile !== undefined || keyFile !== undefined;
  if (!isGiven && !given.flag("https")) return undefined;
  const folder = dirname(getServerFile(data));
  const { key, cert } = isGiven ? readGiven(certFile, keyFile) : await keepCertificate(folder, unwrapHost(host));
  if (isGiven) writeFiles(folder, { [CERTIFICATE_FILE]: cert });
  return { key, cert, fingerprint: new X509Certificate(cert).fingerprint256, file: join(folder, CERTIFICATE_FILE) };
}

function readGiven(certFile: string | undefined, keyFile: string | undefined): KeyPair {
  if (certFile === undefined || keyFile === undefined)
    throw new Misuse(
      "--tls-cert and --tls-key belong together. Give both, or only --https for a generated certificate.",
    );
  const [cert, certificate] = readPem(`--tls-cert ${certFile}`, certFile, (pem) => new X509Certificate(pem));
  const [key, privateKey] = readPem(`--tls-key ${keyFile}`, keyFile, createPrivateKey);
  if (certificate.checkPrivateKey(privateKey)) return { key, cert };
  throw new Misuse(
    `--tls-key ${keyFile} is not the key of the certificate in ${certFile}. Give the key that it was made with.`,
  );
}

/** Returns the text of the file and what it contains. */
function readPem<T>(label: string, path: string, parse: (pem: string) => T): [text: string, parsed: T] {
  const read = (): [string, T] => {
    const text = readBounded(path, { most: MAX_FILE_SIZE });
    return [text, parse(text)];
  };
  return readInput(read, label, "Name a file in PEM.");
}

/** Reuses the certificate of an earlier start if it is valid for the host, so that clients need to trust it only once. */
async function keepCertificate(folder: string, host: string): Promise<KeyPair> {
  const known = readStored(folder, host);
  if (known) return known;
  const { makeCertificate } = await import("./make-certificate.ts");
  const hosts = ["localhost", "127.0.0.1", "::1", ...(isLoopback(host) ? [] : [host])];
  const made = makeCertificate(hosts, wallClock());
  writeFiles(folder, { [CERTIFICATE_FILE]: made.cert, [KEY_FILE]: made.key });
  return made;
}

function readStored(folder: string, host: string): KeyPair | undefined {
  try {
    const read = (name: string) => readBounded(join(folder, name), { most: MAX_FILE_SIZE, within: dirname(folder) });
    const [cert, key] = [read(CERTIFICATE_FILE), read(KEY_FILE)];
    const certificate = new X509Certificate(cert);
    const isForHost = certificate.checkHost(host) !== undefined || certificate.checkIP(host) !== undefined;
    const isValid = Date.parse(certificate.validTo) > wallClock() + DAY_MS;
    return isValid && isForHost && certificate.checkPrivateKey(createPrivateKey(key)) ? { key, cert } : undefined;
  } catch {
    // A missing or damaged certificate is replaced.
    return undefined;
  }
}

/** Replaces each file atomically. Only the owner can read it. */
function writeFiles(folder: string, texts: Readonly<Record<string, string>>): void {
  try {
    makeSandboxFolder(folder);
    for (const [name, text] of Object.entries(texts)) replaceFile(join(folder, name), text, 0o600);
  } catch (error) {
    throw new Failure(`The certificate can't be kept in ${displayPath(folder)}: ${toMessage(error)}.`);
  }
}
