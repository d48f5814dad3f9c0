// The certificates of a sandbox that many share, and the keys that signed them.

export interface CertificateRow {
  id: string;
  team: string | null;
  /** As it was signed: a flattened JWS as JSON. */
  jws: string;
  expires_at: string;
  /** By the database's clock. */
  is_expired: boolean;
  revoked_at: string | null;
  revoked_for: string | null;
}

export interface CertificateKeyRow {
  kid: string;
  /** As a JWK. */
  public: Readonly<Record<string, unknown>>;
  /** The private half, encrypted; null once another key signs. */
  sealed: string | null;
  created_at: string;
  retired_at: string | null;
}

type NewCertificateKey = Pick<CertificateKeyRow, "kid" | "public"> & { sealed: string };

export interface CertificateStore {
  addCertificate(row: Pick<CertificateRow, "id" | "team" | "jws" | "expires_at">): Promise<CertificateRow>;
  /** Of a team, or all; the newest first, so many of them. */
  certificates(team: string | undefined, most: number): Promise<CertificateRow[]>;
  certificate(id: string): Promise<CertificateRow | undefined>;
  /** One that is revoked already stays as it is. */
  revokeCertificate(id: string, reason: string): Promise<CertificateRow | undefined>;
  /** The one that signs first. */
  certificateKeys(): Promise<CertificateKeyRow[]>;
  /** Of several nodes that make the first key at once, one makes it; returns the one that signs. */
  firstCertificateKey(key: NewCertificateKey): Promise<CertificateKeyRow>;
  /** The private half of the one before is forgotten. */
  rotateCertificateKey(key: NewCertificateKey): Promise<CertificateKeyRow>;
}
