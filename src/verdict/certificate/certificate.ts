// A certificate: what a sandbox observed of one program, by one profile, with what it was judged with. It is made of a verdict that has no
// gap and no failure, and of nothing else; it says nothing for the service.
import { createHash } from "node:crypto";
import type { Schemas } from "../../client/control.ts";
import type { Profile } from "../profiles/profile.ts";
import type { Verdict } from "../result.ts";
import type { Soak } from "../soak/index.ts";

/** The program, as those who ran it name it. */
export type CertificateSubject = Schemas["CertificateSubject"];

/** What is signed. Its members are a contract: a certificate is verified by versions to come. */
export type Certificate = Schemas["CertificateFacts"] & { witness?: Schemas["CertificateWitness"] };

/** What a profile asks for besides, in figures. */
export type SoakFigures = Schemas["CertificateSoak"];
export type BooksFigures = Schemas["CertificateBooks"];

/** What no sandbox can see of a program, in words. */
export const ATTESTED = {
  subject: "that it was this program, of this version and commit, that made the calls",
  ended: "how each run ended",
  probe: "what the probe printed",
  relay: "what receivers answered to messages that a relay handed on",
  soak: "the weather and the restarts of the soak, and the state that the program printed",
  books: "the postings that the program printed",
} as const;

/** 90 days; a program changes, and so does the service. */
const VALID_MS = 90 * 86_400_000;
// Evidence is signed by its hash, since it may hold names of persons.
const hashOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** Why nothing is signed. Undefined: nothing stands against it. */
export function whyUnsigned({ no_verdict, profile, counts, exit_code }: Verdict): string | undefined {
  if (no_verdict) return "Nothing is signed, since there is no verdict.";
  const gaps = profile?.gaps ?? [];
  if (gaps.length > 0)
    return `Nothing is signed, since ${gaps.length} of ${profile?.of} that the profile asks for ${gaps.length === 1 ? "was" : "were"} not shown.`;
  if (exit_code !== 0 || counts.fail > 0) return "Nothing is signed, since a check failed.";
  return undefined;
}

/** The same of a soak. */
export function whySoakUnsigned(
  {
    no_judgement,
    differences,
    compared,
    days,
  }: Pick<Soak, "no_judgement" | "compared" | "days"> & {
    differences: readonly unknown[];
  },
  { soak }: Profile,
): string | undefined {
  if (no_judgement) return `Nothing is signed, since there is no judgement of the soak: ${no_judgement.says}`;
  if (differences.length > 0)
    return `Nothing is signed, since after ${days} days of business ${differences.length} of the program's records are not as they should be.`;
  // Nothing was compared of a kind that was not printed.
  const lacking = (soak?.probe ?? []).filter((kind) => !compared[kind]);
  return lacking.length > 0 ? `Nothing is signed, since the probe printed no ${lacking.join(" and no ")}.` : undefined;
}

/** The same of books. Without a row there is nothing that agrees. */
export function whyBooksUnsigned({ rows, agrees }: { rows: number; agrees: boolean }): string | undefined {
  if (!agrees) return "Nothing is signed, since the books do not agree with the journal.";
  return rows === 0 ? "Nothing is signed, since the books have no posting." : undefined;
}

interface CertifiedRun {
  subject: CertificateSubject;
  /** The digest of the files of the fixture. */
  fixtureHash: string;
  soak?: SoakFigures | undefined;
  books?: BooksFigures | undefined;
  /** Who has judged, where it was not the program's own people. */
  witness?: Certificate["witness"];
  /** The profile is a team's own. */
  isOwn?: boolean;
}

/** Throws for a verdict that may not be signed: callers have asked `whyUnsigned` before. */
export function certificateOf(verdict: Verdict, about: CertifiedRun): Certificate {
  const { subject, fixtureHash, soak, books, witness, isOwn = false } = about;
  const { sandbox, profile, results, seed, command, at } = verdict;
  const why = profile ? whyUnsigned(verdict) : "it was judged by no profile";
  if (!profile || why) throw new Error(why);
  const { name, hash, of, met } = profile;
  return {
    ...{ version: 1, self_attested: witness === undefined, ...(witness ? { witness } : {}), subject, command },
    ...{ profile: { name, for: profile.for, hash, ...(isOwn ? { own: true } : {}) }, of, met },
    ...{ sandbox: sandbox.version, specification: sandbox.specification, register: sandbox.register },
    fixture: { name: sandbox.fixture, hash: fixtureHash },
    ...{ seed, flips: sandbox.flips },
    checks: results.map(({ id, outcome, evidence }) => ({ id, outcome, evidence: hashOf(evidence) })),
    soak: soak ? figuresOf(soak) : null,
    books: books ? { rows: books.rows, entries: books.entries } : null,
    ...{ issued: at, expires: new Date(Date.parse(at) + VALID_MS).toISOString() },
  };
}

const figuresOf = ({ seed, days, rate, scope, restarts, calls, deliveries, compared }: SoakFigures): SoakFigures => ({
  ...{ seed, days, rate, scope, restarts, calls, deliveries, compared },
});
