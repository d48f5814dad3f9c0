// A certificate of a shared sandbox as its pages and the control API show it: what was signed, and what became of it since.
import type { Schemas } from "../../../contract/schemas.ts";
import type { CertificateRow } from "../../world/store/certificate-store.ts";
import { HttpError } from "../errors.ts";

export type CertificateView = Schemas["CertificateView"];

/** The signed text is shown as it was signed; only status and revocation come from the row. */
export function certificateView(row: CertificateRow): CertificateView {
  const { id, is_expired, revoked_at, revoked_for } = row;
  const jws = JSON.parse(row.jws) as CertificateView["jws"];
  const certificate = JSON.parse(Buffer.from(jws.payload, "base64url").toString("utf8")) as Schemas["Certificate"];
  return {
    ...{ id, url: `${certificate.witness.issuer}/certificates/${id}`, jws, certificate },
    status: revoked_at !== null ? "revoked" : is_expired ? "expired" : "valid",
    revoked: revoked_at === null ? null : { at: revoked_at, reason: revoked_for ?? "" },
  };
}

export function certificateListed(row: CertificateRow): Schemas["ListedCertificate"] {
  const { id, url, status, certificate } = certificateView(row);
  const { subject, profile, met, of, expires } = certificate;
  const { name, version, commit } = subject;
  return {
    id,
    name,
    version,
    commit,
    profile: profile.name,
    score: `${met} of ${of}`,
    status,
    expires,
    team: row.team,
    url,
  };
}

/** The same whether there is none, or one of another team. */
export const noCertificate = (id: string): HttpError =>
  new HttpError(404, `There is no certificate ${id.slice(0, 60)}.`, { list: "GET /_sandbox/certificates" });
