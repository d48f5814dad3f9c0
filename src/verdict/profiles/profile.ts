// A profile: what a program of a kind must have shown before it goes live. Which there are is in spec/profiles.yaml, or in a company's file.
import { createHash } from "node:crypto";

/** A row of the file. */
export interface Requirements {
  /** What such a program does. */
  for: string;
  /** Each is answered in a run without any failure; of several in one place any one. */
  operations: readonly (string | readonly string[])[];
  /** Checks that must be passed. */
  pass: readonly string[];
  /** Checks that are run and told beside them. */
  should?: readonly string[];
  /** A soak is part of it, whose probe prints these kinds of records. */
  soak?: { probe: readonly string[] };
  /** Its books have to agree with the journal. */
  books?: boolean;
}

export interface Profile extends Requirements {
  name: string;
  /** SHA-256 of its name and its row, whatever the order of members in the file. */
  hash: string;
}

/** Members that are left out have their defaults in the hash, so that writing one out changes nothing. */
export function profileOf(name: string, row: Requirements): Profile {
  const { operations, pass, should = [], soak, books = false } = row;
  const text = JSON.stringify([name, row.for, operations, pass, should, soak?.probe ?? null, books]);
  return { ...row, name, hash: createHash("sha256").update(text).digest("hex") };
}

/** All checks that it names. */
export const checksOf = ({ pass, should = [] }: Profile): string[] => [...new Set([...pass, ...should])];

export interface Gap {
  /** A check, or an operation. */
  what: string;
  says: string;
  /** The command that closes it, or that repeats it. */
  close: string;
}

export interface ProfileJudged {
  name: string;
  for: string;
  hash: string;
  /** Operations to be seen and checks to be passed, and how many of them were. */
  of: number;
  met: number;
  gaps: readonly Gap[];
  /** Checks that should be passed, and are not. */
  wishes: readonly Gap[];
}
