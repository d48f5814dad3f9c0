// A profile: what a kind of program must show before it goes live. spec/profiles.yaml contains the standard profiles; a
// company may have its own file.
import { createHash } from "node:crypto";
import type { Schemas } from "../../client/control.ts";

/** A row of the file, which spec/profiles.schema.json describes. */
export interface Requirements {
  for: string;
  /** Each operation must succeed once. One operation of a nested list is enough. */
  operations: (string | string[])[];
  pass: string[];
  should?: string[];
  soak?: { probe: string[] };
  books?: true;
}

export interface Profile extends Requirements {
  name: string;
  /** The SHA-256 of the name and the row, which does not depend on the order of fields. */
  hash: string;
}

/** Missing fields count with their defaults in the hash, so writing a default explicitly changes nothing. */
export function createProfile(name: string, row: Requirements): Profile {
  const { operations, pass, should = [], soak, books = false } = row;
  const text = JSON.stringify([name, row.for, operations, pass, should, soak?.probe ?? null, books]);
  return { ...row, name, hash: createHash("sha256").update(text).digest("hex") };
}

/** Lists all checks that the profile names. */
export const listChecks = ({ pass, should = [] }: Profile): string[] => [...new Set([...pass, ...should])];

export type Gap = Schemas["ProfileGap"];

export type JudgedProfile = Schemas["VerdictProfile"];
