// A certificate of a shared sandbox for people and for programs: a page, a badge, and the signed text. Whoever has its address may see it; the
// id can't be guessed.

import type { Schemas } from "../../../contract/schemas.ts";
import { badgeSvg } from "../../../platform/badge.ts";
import { count } from "../../../platform/count.ts";
import { formatCommand } from "../../../platform/format-command.ts";
import { type Html, html } from "../../../platform/html.ts";
import type { TeamsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { type CertificateView, certificateView } from "../teams/certificate-view.ts";
import { link, page, rows } from "./html.ts";

type CertificateMaker = (application: TeamsPort, exchange: Exchange) => Promise<Answer>;

const makeForm =
  (form: (view: CertificateView) => Answer): CertificateMaker =>
  async ({ teams }, { params: { certificate = "" } }) => {
    const row = await teams?.store.certificate(certificate);
    if (row) return form(certificateView(row));
    throw new HttpError(404, `There is no certificate ${certificate.slice(0, 60)} here. Ask whoever showed it to you.`);
  };

export const certificatePage = makeForm(pageOf);
export const certificateBadge = makeForm(badgeOf);
export const certificateJson = makeForm((view) => ({
  status: 200,
  headers: { "cache-control": "no-store" },
  body: view,
}));

const dayOf = (instant: string): string => instant.slice(0, 10);

function badgeOf({ status, certificate: { met, of, profile, expires } }: CertificateView): Answer {
  const month = expires.slice(0, 7);
  const text = {
    valid: `${met} of ${of} · ${profile.name} · until ${month}`,
    expired: `expired ${month} · ${profile.name}`,
    revoked: `revoked · ${profile.name}`,
  }[status];
  return {
    status: 200,
    headers: {
      "content-type": "image/svg+xml; charset=utf-8",
      // An SVG that is opened by itself could run scripts.
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
      // Behind a proxy for pictures a revoked one must not stay green for long.
      "cache-control": "max-age=300",
    },
    body: badgeSvg("sandbox certificate", text, status === "valid" ? "good" : status === "revoked" ? "bad" : "open"),
  };
}

function statusWords({ status, revoked, certificate: { expires } }: CertificateView): Html {
  if (revoked) return html`<strong>Revoked</strong> on ${dayOf(revoked.at)}: ${revoked.reason}`;
  if (status === "expired") return html`<strong>Expired</strong> on ${dayOf(expires)}`;
  return html`<strong>Valid</strong> until ${dayOf(expires)}`;
}

function pageOf(view: CertificateView): Answer {
  const { id, certificate } = view;
  const { subject, profile, met, of, witness, checks } = certificate;
  const title = `${subject.name}${subject.version === null ? "" : ` ${subject.version}`}`;
  const path = `/certificates/${id}`;
  return page(
    `${title}: certificate`,
    html`<h1>${title} <small>${met} of ${of} · ${profile.name}</small></h1>
<p>${statusWords(view)}</p>
<p>What a sandbox of the Experience Booking and Commerce API has observed of this program. It is no word of the service.</p>
${about(certificate)}
<h2>Not seen by the sandbox</h2>
<p>The sandbox judged by its own log. What it has from the program's own people alone:</p>
<ul>${witness.attested.map((each) => html`<li>${each}</li>\n`)}</ul>
<h2>Checks</h2>
${rows(checks.map(({ id: check, outcome }) => [check, outcome, ""]))}
<h2>Verify it</h2>
<p>${link(`${path}.json`, "As it was signed")}, ${link("/.well-known/jwks.json", "the keys")}, ${link(`${path}/badge.svg`, "the badge")}. The file that <code>sandbox certify</code>
wrote says the same; it is held against the keys, and asked for here whether it was revoked:</p>
<pre tabindex="0">${formatCommand(`certificate verify certificate.json --jwks ${witness.issuer}/.well-known/jwks.json`)}</pre>`,
  );
}

function about(certificate: CertificateView["certificate"]): Html {
  const { subject, profile, witness, sandbox, fixture, seed, flips, soak, books, issued, command } = certificate;
  const { commit, clean } = subject;
  return rows([
    [
      "Commit",
      commit === null ? "none" : html`<code>${commit}</code>`,
      commit === null || clean ? "" : "with changes that are not in it",
    ],
    ["Command", html`<code>${command.join(" ")}</code>`, ""],
    [
      "Profile",
      profile.name,
      `${profile.for}${profile.own ? " It is the team's own, and does not come with the sandbox." : ""}`,
    ],
    [
      "Witnessed",
      dayOf(issued),
      html`by ${witness.issuer}, sandbox ${sandbox}${witness.team === null ? "" : `, in worlds of the team ${witness.team}`}`,
    ],
    [
      "Judged with",
      `fixture ${fixture.name}, seed ${seed}`,
      flips.length === 0 ? "no changed assumption" : `changed: ${flips.join(", ")}`,
    ],
    ...(soak ? [soakRow(soak)] : []),
    ...(books
      ? [["Books", `${books.rows} postings`, `agree with ${books.entries} entries of the journal`] as const]
      : []),
  ]);
}

function soakRow({ days, seed, rate, scope, restarts, calls, deliveries, compared }: Schemas["CertificateSoak"]) {
  const known = Object.entries(compared).map(([kind, number]) => `${number} ${kind.replaceAll("_", " ")}`);
  return [
    "Soak",
    `${count(days, "day")} of business and bad weather with ${count(restarts, "restart")}: ${count(calls, "call")}, ${count(deliveries, "delivery", "deliveries")}`,
    `knew ${known.join(", ")} (${scope}); seed ${seed}, rate ${rate}`,
  ] as const;
}
