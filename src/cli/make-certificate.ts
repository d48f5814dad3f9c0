// Creates a certificate for a sandbox on this machine. The module is loaded only on demand, because its library is large.
import { createHash, generateKeyPairSync } from "node:crypto";
import { isIP } from "node:net";
import asn1 from "node-forge/lib/asn1.js";
import sha256 from "node-forge/lib/sha256.js";
import pki from "node-forge/lib/x509.js";

/** Browsers accept at most 825 days. */
const VALID_DAYS = 365;
const DAY_MS = 86_400_000;
/** Types of a subject alternative name (RFC 5280 §4.2.1.6). */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** Returns the key and a certificate for these names and addresses in PEM. `now` is real time in milliseconds since 1970. */
export function makeCertificate(hosts: readonly string[], now: number): { key: string; cert: string } {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const der = privateKey.export({ type: "pkcs1", format: "der" }).toString("latin1");
  const key = pki.privateKeyFromAsn1(asn1.fromDer(der));
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.setRsaPublicKey(key.n, key.e);
  // The serial number is a hash of the key. The prefix 01 keeps it positive.
  certificate.serialNumber = `01${createHash("sha256").update(der, "latin1").digest("hex").slice(0, 30)}`;
  certificate.validity.notBefore = new Date(now - DAY_MS);
  certificate.validity.notAfter = new Date(now + VALID_DAYS * DAY_MS);
  const name = [{ name: "commonName", value: "experience-sandbox" }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", critical: true, keyCertSign: true, digitalSignature: true, keyEncipherment: true },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectKeyIdentifier" },
    {
      name: "subjectAltName",
      altNames: hosts.map((host) => (isIP(host) ? { type: IP_ADDRESS, ip: host } : { type: DNS_NAME, value: host })),
    },
  ]);
  certificate.sign(key, sha256.create());
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: pki.certificateToPem(certificate),
  };
}
