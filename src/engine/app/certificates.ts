// What the transport may ask of a shared sandbox that witnesses: it judges the runs of a program by its own log, and signs what it has seen.
import type { Schemas } from "../../contract/schemas.ts";
import type { CertificateKeyRow, CertificateRow } from "../world/store/certificate-store.ts";

/** Nothing is signed, and why: a sentence and what to do. */
export interface Unsigned {
  code: "NOT_WITNESSED" | "NO_CERTIFICATE_KEY";
  why: string;
}

export interface Certificates {
  /** The caller may see all worlds that are named, and they are of this team; `undefined`: as many are judged as it can judge at once. */
  issue(input: Schemas["CertificateInput"], team: string | null): Promise<CertificateRow | Unsigned | undefined>;
  /** From now on another key signs. */
  rotate(): Promise<CertificateKeyRow | Unsigned>;
}
