// The parts of node-forge that make a certificate. The package has no types of its own.
declare module "node-forge/lib/asn1.js" {
  const asn1: { fromDer(bytes: string): unknown };
  export default asn1;
}
declare module "node-forge/lib/sha256.js" {
  const sha256: { create(): unknown };
  export default sha256;
}
declare module "node-forge/lib/x509.js" {
  interface Certificate {
    publicKey: unknown;
    serialNumber: string;
    validity: { notBefore: Date; notAfter: Date };
    setSubject(attributes: readonly object[]): void;
    setIssuer(attributes: readonly object[]): void;
    setExtensions(extensions: readonly object[]): void;
    sign(key: object, digest: unknown): void;
  }
  const pki: {
    createCertificate(): Certificate;
    certificateToPem(certificate: Certificate): string;
    privateKeyFromAsn1(value: unknown): { n: unknown; e: unknown };
    setRsaPublicKey(n: unknown, e: unknown): unknown;
  };
  export default pki;
}
