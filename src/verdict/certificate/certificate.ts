// A certificate: what a sandbox observed of one program, by one profile, with what it was judged with. It is made of a verdict that has no
// gap and no failure, and of nothing else; it says nothing for the service.
import { createHash } from "node:crypto";
import type { Profile } from "../profiles/profile.ts";
import type { Verdict } from "../result.ts";

export interface Subject {
  name: string;
  version: string | null;
  commit: string | null;
  /** Nothing was changed since the commit; null without one. */
  clean: boolean | null;
}

export interface Certificate {
  version: 1;
  /** Made by who shows it, with a key of his own. */
  self_attested: true;
  subject: Subject;
  command: readonly string[];
  profile: { name: string; for: string; hash: string };
  /** Operations to be seen and checks to be passed, and how many of them were. */
  of: number;
  met: number;
  sandbox: string;
  /** SHA-256 of each, in hex. */
  specification: string;
  register: string;
  fixture: { name: string; hash: string };
  seed: string;
  flips: readonly string[];
  checks: readonly { id: string; outcome: string; evidence: string }[];
  issued: string;
  expires: string;
}

const VALID_MS = 90 * 86_400_000;
const hashOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** What a profile may ask for beside a verdict, and nothing here runs yet: what runs one is to be asked for its figures in `certificateOf`. */
const NOT_RUN = { soak: "a soak", books: "its books held against the journal" } as const;

/** Before anything is run: what the profile asks for and nobody can run. */
export function whyNotCertifiable(profile: Profile): string | undefined {
  const parts = (["soak", "books"] as const).filter((part) => profile[part] !== undefined);
  if (parts.length === 0) return undefined;
  const asked = parts.map((part) => NOT_RUN[part]).join(" and ");
  return `The profile ${profile.name} asks for ${asked}, which this sandbox does not run for a certificate yet, so nothing is signed. Judge the rest of it by \`sandbox verdict --profile ${profile.name} -- <command>\`.`;
}

/** Why nothing is signed. */
export function whyUnsigned({ no_verdict, profile, counts, exit_code }: Verdict): string | undefined {
  if (no_verdict) return "Nothing is signed, since there is no verdict.";
  const gaps = profile?.gaps ?? [];
  if (gaps.length > 0)
    return `Nothing is signed, since ${gaps.length} of ${profile?.of} that the profile asks for ${gaps.length === 1 ? "was" : "were"} not shown.`;
  if (exit_code !== 0 || counts.fail > 0) return "Nothing is signed, since a check failed.";
  return undefined;
}

export interface About {
  subject: Subject;
  /** The digest of the files of the fixture. */
  fixtureHash: string;
}

export function certificateOf(verdict: Verdict, { subject, fixtureHash }: About): Certificate {
  const { sandbox, profile, results, seed, command, at } = verdict;
  const why = profile ? whyUnsigned(verdict) : "it was judged by no profile";
  if (!profile || why) throw new Error(why);
  const { name, hash, of, met } = profile;
  return {
    ...{ version: 1, self_attested: true, subject, command, profile: { name, for: profile.for, hash }, of, met },
    ...{ sandbox: sandbox.version, specification: sandbox.specification, register: sandbox.register },
    fixture: { name: sandbox.fixture, hash: fixtureHash },
    ...{ seed, flips: sandbox.flips },
    checks: results.map(({ id, outcome, evidence }) => ({ id, outcome, evidence: hashOf(evidence) })),
    ...{ issued: at, expires: new Date(Date.parse(at) + VALID_MS).toISOString() },
  };
}
