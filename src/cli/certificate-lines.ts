// A certificate as people read it. That it is self-attested stands wherever it is shown.
import { count } from "../platform/count.ts";
import type { Certificate } from "../verdict/certificate/index.ts";

/**
 * The order is the same for a local and a witnessed one, so that two can be compared. A file says of itself who witnessed
 * it: without a key that is trusted it `isProven` by nothing.
 */
export function certificateLines(certificate: Certificate, isProven = true): string[] {
  const { subject, profile, of, met, sandbox, fixture, seed, flips, checks, soak, books, issued, expires } =
    certificate;
  const { name, version, commit, clean } = subject;
  const at = commit === null ? "of no commit" : `commit ${commit.slice(0, 12)}${clean ? "" : ", with changes"}`;
  // Checks that the profile does not ask for are named where they were not passed: silence would look like a pass.
  const wishes = checks.filter(({ outcome }) => outcome !== "pass").map(({ id, outcome }) => `${id} ${outcome}`);
  return [
    `${name}${version === null ? "" : ` ${version}`}, ${at}`,
    `${met} of ${of} · ${profile.name} · until ${expires.slice(0, 10)}`,
    `Observed on ${issued.slice(0, 10)} by sandbox ${sandbox}: fixture ${fixture.name}, seed ${seed}, ${flips.length === 0 ? "no changed assumption" : `changed: ${flips.join(", ")}`}.`,
    ...(soak ? [soakLine(soak)] : []),
    ...(books
      ? [
          `Books: ${count(books.rows, "posting agrees", "postings agree")} with ${count(books.entries, "entry", "entries")} of the journal.`,
        ]
      : []),
    ...(wishes.length === 0 ? [] : [`Not asked for, and not passed: ${wishes.join(", ")}.`]),
    ...whoseWord(certificate, isProven),
  ];
}

function soakLine({ days, seed, scope, compared, calls, restarts }: NonNullable<Certificate["soak"]>): string {
  const known = Object.entries(compared).map(([kind, number]) => `${number} ${kind}`);
  const about = `seed ${seed}, ${count(calls, "call")}, ${count(restarts, "restart")}, scope ${scope}`;
  return `Soak: ${count(days, "day")} of business (${about}), then ${known.join(", ")} as they are.`;
}

const NO_WORD = "It is no word of the service.";

function whoseWord({ self_attested, witness }: Certificate, isProven: boolean): string[] {
  if (self_attested || !witness) return [`Self-attested: made by who shows it. ${NO_WORD}`];
  const { issuer, team, attested } = witness;
  if (!isProven)
    return [`Self-attested, until a key that you trust says otherwise: it claims the witness ${issuer}. ${NO_WORD}`];
  return [
    `Witnessed by ${issuer}${team === null ? "" : `, in worlds of the team ${team}`}, which judged by its own log. ${NO_WORD}`,
    `Not seen by it: ${attested.join("; ")}.`,
  ];
}
