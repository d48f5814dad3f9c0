// Makes a certificate for a sandbox on this machine. A module of its own, since the library for it is loaded only for this.
import { createHash, generateKeyPairSync } from "node:crypto";
import { isIP } from "node:net";
import asn1 from "node-forge/lib/asn1.js";
import sha256 from "node-forge/lib/sha256.js";
import pki from "node-forge/lib/x509.js";

/** Days. Browsers accept at most 825. */
const VALID_DAYS = 365;
const DAY_MS = 86_400_000;
/** Types of a subject alternative name, RFC 5280 §4.2.1.6. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** Returns key and certificate in PEM. `hosts`: the names and addresses that it is for; `now`: milliseconds of real time. */
export function makeCertificate(hosts: readonly string[], now: number): { key: string; cert: string } {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const der = privateKey.export({ type: "pkcs1", format: "der" }).toString("latin1");
  const key = pki.privateKeyFromAsn1(asn1.fromDer(der));
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.setRsaPublicKey(key.n, key.e);
  // Unique for each key; with 01 in front the number is positive.
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
