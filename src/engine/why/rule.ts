// Describes a rule that can reject a request: its sources, the values that it compares, and changes that might satisfy
// it. The changes are only proposals: solve.ts tries them on a copy of the world.

import type { JsonSchema } from "../../contract/json-schema.ts";
import { getSent } from "../../platform/member-paths.ts";
import type { Values } from "../domain/kernel/domain-error.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Rejection } from "../http/exchange.ts";

/** A rejected request or act, as proposals need it. */
export interface RejectedRequest {
  rejection: Rejection;
  body: unknown;
  query: Readonly<Record<string, unknown>>;
  path: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, unknown>>;
  /** The scopes of the token. */
  scopes: readonly string[];
  clientId: string | undefined;
  /** Returns the schema of a field, by its path from body, query, path or header. */
  findSchema(path: readonly string[]): JsonSchema | undefined;
  /** Reads from the world at the time of the request. */
  read<T>(question: (tx: Transaction) => T): T;
}

/** A change that might satisfy the rule. */
export interface Proposal {
  text: string;
  /** The fields to set, by path; null removes a field. */
  set?: Readonly<Record<string, unknown>>;
  /** The acts to run before the request. */
  first?: readonly { act: string; input: object }[];
  /** The instant at which to send the request. */
  at?: Instant;
  /** The scopes of a new token to send with the request. */
  scopes?: readonly string[];
  /** Whether to show the text even if the change can't be tried, or is not sufficient. */
  advice?: boolean;
}

export interface Basis {
  kind: "sentence" | "assumption" | "specification";
  /** Empty for an assumption, whose text is in the list of assumptions. */
  text: string;
  id?: string;
}

export interface Rule {
  rests_on: readonly Basis[];
  /**
   * The compared values, with their names in braces. By default the rule reports its own checks, or the check shows the
   * error message.
   */
  looked?: string;
  smallest?: Smallest;
  /** What to do if no change works, with names of values in braces. */
  advice?: string;
}

export type Smallest = (question: RejectedRequest) => Iterable<Proposal>;

export const assumption = (id: string): Basis => ({ kind: "assumption", id, text: "" });
export const sentence = (text: string): Basis => ({ kind: "sentence", text });
export const standard = (id: string, text: string): Basis => ({ kind: "sentence", id, text });
export const specification = (text: string): Basis => ({ kind: "specification", text });

/** Creates a proposal that can't be tried. */
export const toAdvice = (text: string): Proposal => ({ text, advice: true });

/** Replaces the names in braces by values of the rejection. */
export const fill = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));

/** Returns the values of the first violation of a rule. */
export const toValues = ({ rejection }: RejectedRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(rejection.values[0] ?? {}).map(([name, value]) => [name, String(value ?? "")]));

/** Returns the paths in body, path and query that contain the value. */
export function toPaths(
  { body, path, query }: Pick<RejectedRequest, "body" | "path" | "query">,
  value: unknown,
): string[] {
  const found: string[] = [];
  const walk = (each: unknown, at: string): void => {
    if (String(each) === String(value) && typeof each !== "object") found.push(at);
    if (typeof each !== "object" || each === null) return;
    for (const [name, member] of Object.entries(each)) walk(member, `${at}.${name}`);
  };
  walk(path, "path");
  walk(body, "body");
  walk(query, "query");
  return found;
}

/** Sets the same value at each of the paths. */
export const setAt = (paths: readonly string[], value: unknown): Record<string, unknown> =>
  Object.fromEntries(paths.map((path) => [path, value]));

export function readAt(question: Pick<RejectedRequest, "body" | "path" | "query" | "headers">, path: string): unknown {
  const [section = "", ...names] = path.split(".");
  const root = { body: question.body, path: question.path, query: question.query, header: question.headers }[section];
  return names.reduce<unknown>(getSent, root);
}
