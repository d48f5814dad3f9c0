// Trusts certificates in addition to those of the system: those of sandboxes on this machine, and of receivers.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { readBounded } from "./bounded-file.ts";

/** The certificate of a project's sandbox, without the key, in the folder `.sandbox`. */
export const CERTIFICATE_FILE = "tls-cert.pem";

/** The limit in bytes. A bundle of all public authorities has less than 300,000. */
const MAX_FILE_SIZE = 1024 * 1024;

/**
 * Creates a context that also trusts the certificates of a file in PEM. Throws as `readBounded` does, and what OpenSSL
 * throws for other text.
 */
export function readTrustingContext(file: string): SecureContext {
  const pem = readBounded(file, { most: MAX_FILE_SIZE });
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw new Error("it has no certificate in PEM");
  // A certificate is enough even if its issuer is not trusted.
  const options = { allowPartialTrustChain: true } as SecureContextOptions;
  const context = createSecureContext(options);
  // The option `ca` would replace the authorities of the system and those of NODE_EXTRA_CA_CERTS.
  for (const certificate of certificates) (context.context as { addCACert(pem: string): void }).addCACert(certificate);
  return context;
}

let ownContext: SecureContext | undefined;

/** Finds the certificate of the nearest `.sandbox`, for requests to this machine. Returns undefined without a usable one. */
export function findOwnContext(folder = process.cwd()): SecureContext | undefined {
  if (ownContext) return ownContext;
  const file = join(resolve(folder), ".sandbox", CERTIFICATE_FILE);
  const above = dirname(resolve(folder));
  if (!existsSync(file)) return above === resolve(folder) ? undefined : findOwnContext(above);
  try {
    ownContext = readTrustingContext(file);
  } catch {
    // The handshake then fails, and its error names the certificate.
    return undefined;
  }
  return ownContext;
}
