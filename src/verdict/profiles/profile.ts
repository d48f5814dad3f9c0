// A profile: what a program of a kind must have shown before it goes live. Which there are is in spec/profiles.yaml, or in a company's file.
import { createHash } from "node:crypto";
import type { Schemas } from "../../client/control.ts";

/** A row of the file; spec/profiles.schema.json describes it. */
export interface Requirements {
  for: string;
  /** Each has to succeed once; of a list any one. */
  operations: (string | string[])[];
  pass: string[];
  should?: string[];
  soak?: { probe: string[] };
  books?: true;
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

export type Gap = Schemas["ProfileGap"];

export type ProfileJudged = Schemas["VerdictProfile"];
