// A certificate as people read it. That it is self-attested stands wherever it is shown.
import type { Certificate } from "../verdict/certificate/index.ts";

export function certificateLines(certificate: Certificate): string[] {
  const { subject, profile, of, met, sandbox, fixture, seed, flips, checks, issued, expires } = certificate;
  const { name, version, commit, clean } = subject;
  const at = commit === null ? "of no commit" : `commit ${commit.slice(0, 12)}${clean ? "" : ", with changes"}`;
  const wishes = checks.filter(({ outcome }) => outcome !== "pass").map(({ id, outcome }) => `${id} ${outcome}`);
  return [
    `${name}${version === null ? "" : ` ${version}`}, ${at}`,
    `${met} of ${of} · ${profile.name} · until ${expires.slice(0, 10)}`,
    `Observed on ${issued.slice(0, 10)} by sandbox ${sandbox}: fixture ${fixture.name}, seed ${seed}, ${flips.length === 0 ? "no changed assumption" : `changed: ${flips.join(", ")}`}.`,
    ...(wishes.length === 0 ? [] : [`Not asked for, and not passed: ${wishes.join(", ")}.`]),
    "Self-attested: made by who shows it. It is no word of the service.",
  ];
}
