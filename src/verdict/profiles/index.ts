// A profile: what a kind of program must show before it goes live. spec/profiles.yaml contains the standard profiles; a
// company may have its own file.
import { createHash } from "node:crypto";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { Schemas } from "../../client/control.ts";
import table from "../../contract/generated/profiles.json" with { type: "json" };
import { PATTERNS } from "../../engine/domain/index.ts";
import { suggest } from "../../platform/nearest.ts";
import { readPositioned } from "../../platform/positions.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import { countSuccesses, isCall, isInjected, type RequestEntry } from "../observed.ts";
import type { JudgedProfile, Result } from "../report/check-report.ts";

export type { JudgedProfile } from "../report/check-report.ts";

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
function createProfile(name: string, row: Requirements): Profile {
  const { operations, pass, should = [], soak, books = false } = row;
  const text = JSON.stringify([name, row.for, operations, pass, should, soak?.probe ?? null, books]);
  return { ...row, name, hash: createHash("sha256").update(text).digest("hex") };
}

/** Lists all checks that the profile names. */
export const listChecks = ({ pass, should = [] }: Profile): string[] => [...new Set([...pass, ...should])];

type Gap = Schemas["ProfileGap"];

/** The message has the form `file:line: sentence`. */
export class ProfileError extends Error {}

/** Throws a ProfileError for the first mistake. */
export function readProfiles(text: string, file: string): Profile[] {
  const { document, errors, positionOf } = readPositioned(text);
  const [error] = errors;
  if (error) throw new ProfileError(`${file}:${error.line}: ${error.message}`);
  const rows: unknown = document.toJS();
  const validate = new Ajv2020({ strict: true, verbose: true }).compile(table.schema);
  if (!validate(rows)) {
    // An unknown name explains more than the errors that it causes.
    const violation = validate.errors?.find(({ params }) => "allowedValues" in params) ?? validate.errors?.[0];
    throw new ProfileError(formatError(violation as ErrorObject, file, positionOf));
  }
  return Object.entries(rows as Record<string, Requirements>).map(([name, row]) => createProfile(name, row));
}

function formatError(
  { instancePath, message, params, data, propertyName }: ErrorObject,
  file: string,
  positionOf: ReturnType<typeof readPositioned>["positionOf"],
): string {
  const path = instancePath.split("/").slice(1);
  const { line } = positionOf(path.map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
  const where = path.length === 0 ? "the file" : path.join(".");
  const { allowedValues, additionalProperty, pattern } = params as Record<string, unknown>;
  if (Array.isArray(allowedValues) && typeof data === "string")
    return `${file}:${line}: ${where}: unknown ${path[1] === "operations" ? "operation" : "check"} ${data}.${suggest(data, allowedValues)}`;
  const named = propertyName ?? additionalProperty;
  // No message shows a regular expression.
  const form = typeof pattern === "string" ? PATTERNS[pattern] : undefined;
  return `${file}:${line}: ${where} ${form ? `must be ${form}` : message}${named === undefined ? "" : ` (${String(named)})`}.`;
}

/** A result, or the part of it that a written report contains. */
type CheckOutcome = Pick<Result, "id"> & { outcome: string } & Partial<
    Pick<Result, "says" | "add" | "again" | "ignored">
  >;

/** Lists the operations that succeeded without a fault. */
export const listSuccessfulOperations = (requests: readonly RequestEntry[]): Set<string> =>
  new Set(countSuccesses({ requests }, (each) => isCall(each) && !isInjected(each)).keys());

export function judgeProfile(
  profile: Profile,
  seen: ReadonlySet<string>,
  results: readonly CheckOutcome[],
): JudgedProfile {
  const { name, hash, operations, pass } = profile;
  const gaps = [
    ...operations.flatMap((wanted) => findOperationGaps(wanted, seen)),
    ...pass.flatMap((id) => findCheckGaps(id, results)),
  ];
  const of = operations.length + pass.length;
  // The recommended checks are reported separately, and are no gaps.
  const wishes = listChecks(profile)
    .filter((id) => !pass.includes(id))
    .flatMap((id) => findCheckGaps(id, results));
  const others = listFurtherGaps(profile);
  return {
    name,
    for: profile.for,
    hash,
    of,
    met: of - gaps.length,
    gaps,
    wishes,
    ...(others.length > 0 && { besides: others }),
  };
}

/** Lists the requirements that a verdict can't show, with the commands that do. */
function listFurtherGaps({ soak, books }: Profile): Gap[] {
  const bySoak = `run by \`sandbox check soak\`, with a probe of ${soak?.probe.join(", ")}`;
  const byBooks = "compared with the journal by `sandbox books`";
  return [
    ...(soak ? [{ what: "soak", says: bySoak, close: "sandbox check soak --probe CMD -- <command>" }] : []),
    ...(books ? [{ what: "books", says: byBooks, close: "sandbox books compare FILE" }] : []),
  ];
}

function findOperationGaps(wanted: string | readonly string[], seen: ReadonlySet<string>): Gap[] {
  const any = [wanted].flat();
  if (any.some((each) => seen.has(each))) return [];
  const says = any.length === 1 ? "no request for it succeeded" : "no request for any of them succeeded";
  return [{ what: any.join(" or "), says, close: `sandbox call ${any[0]} --list` }];
}

function findCheckGaps(id: string, results: readonly CheckOutcome[]): Gap[] {
  const result = results.find((each) => each.id === id);
  const again = toCommand(["sandbox", "check", "--only", id, "--"]);
  if (!result) return [{ what: id, says: "it was not judged", close: `${again} <command>` }];
  const { outcome, says = "", add, ignored } = result;
  // An ignored check shows nothing, even if it passes.
  if (outcome === "pass" && !ignored) return [];
  const why = ignored ? `it is ignored until ${ignored.until}, and a profile does not accept ignored checks` : says;
  const how = [why, add].filter((each) => each !== undefined && each !== "").join("; ");
  return [{ what: id, says: how === "" ? outcome : `${outcome}: ${how}`, close: result.again ?? `${again} <command>` }];
}

export const profiles: readonly Profile[] = Object.entries(table.profiles).map(([name, row]) =>
  createProfile(name, row),
);
