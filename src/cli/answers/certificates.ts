// The certificates of a shared sandbox, and what became of them.
import type { Schemas } from "../../client/control.ts";
import type { Answer } from "../answer.ts";
import { certificateLines } from "../certificate-lines.ts";
import type { Call } from "../command.ts";
import { Misuse } from "../failure.ts";
import { columns } from "../terminal/terminal.ts";

function listed({ items }: Schemas["CertificateList"], { terminal: { paint } }: Call): string[] {
  const rows = items.map(({ id, name, version, commit, profile, score, status, expires, team }) => [
    // The end by its day: a certificate holds for months.
    ...[paint("bold", id), paint(status === "valid" ? "green" : "red", status), `until ${expires.slice(0, 10)}`],
    ...[
      `${name}${version === null ? "" : ` ${version}`}`,
      commit?.slice(0, 12) ?? "",
      `${score} · ${profile}`,
      team ?? "",
    ],
  ]);
  return columns(rows);
}

function viewed({ certificate, status, revoked, url }: Schemas["CertificateView"]): string[] {
  const became =
    revoked === null
      ? { valid: "Valid.", expired: "Expired.", revoked: "Revoked." }[status]
      : `Revoked on ${revoked.at.slice(0, 10)}: ${revoked.reason}`;
  return [...certificateLines(certificate), became, url];
}

export const certificates: Readonly<Record<string, Answer>> = {
  "certificates list": { show: listed },
  "certificates show": { show: viewed },
  "certificates revoke": {
    // The reason is shown to everybody who verifies it, so it can't be left out.
    check({ args: [id], given }) {
      if (given.text("reason") === undefined)
        throw new Misuse(`Say why: sandbox certificates revoke ${id} --reason "The version was withdrawn."`);
    },
  },
};
