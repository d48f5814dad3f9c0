// What is known about a rule that can refuse something: what it rests on, what it looks at, and which changes might satisfy it. The
// changes are only proposed here: solve.ts tries them on a copy of the world.

import type { JsonSchema } from "../../contract/json-schema.ts";
import { getSent } from "../../platform/member-paths.ts";
import type { Values } from "../domain/kernel/domain-error.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Rejection } from "../http/exchange.ts";

/** A refused request or act, as its rule looks at it. */
export interface RejectedRequest {
  rejection: Rejection;
  /** The operationId, or the name of the act. */
  operation: string | undefined;
  isAct: boolean;
  body: unknown;
  query: Readonly<Record<string, unknown>>;
  path: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, unknown>>;
  now: Instant;
  /** Of the token. */
  scopes: readonly string[];
  clientId: string | undefined;
  /** The schema of a member, by its path from body, query, path or header. */
  schemaAt(path: readonly string[]): JsonSchema | undefined;
  /** Asks the world as it was at that moment. */
  read<T>(question: (tx: Transaction) => T): T;
}

/** A change that might satisfy the rule. */
export interface Proposal {
  text: string;
  /** Members by path; null takes one away. */
  set?: Readonly<Record<string, unknown>>;
  /** Acts before it. */
  first?: readonly { act: string; input: object }[];
  /** Sent at this instant. */
  at?: Instant;
  /** Sent with a new token that has these scopes. */
  scopes?: readonly string[];
  /** Worth saying even where it can't be tried, or does not suffice. */
  advice?: boolean;
}

export interface Basis {
  kind: "sentence" | "assumption" | "specification";
  /** Empty for an assumption, whose text is in the register. */
  text: string;
  id?: string;
}

export interface Rule {
  rests_on: readonly Basis[];
  /** What it looked at, with the names of values in braces; without it the check tells that itself, or the sentence of the error does. */
  looked?: string;
  smallest?: Smallest;
}

export type Smallest = (question: RejectedRequest) => Iterable<Proposal>;

export const assumption = (id: string): Basis => ({ kind: "assumption", id, text: "" });
export const sentence = (text: string): Basis => ({ kind: "sentence", text });
export const standard = (id: string, text: string): Basis => ({ kind: "sentence", id, text });
export const specification = (text: string): Basis => ({ kind: "specification", text });

export const advice = (text: string): Proposal => ({ text, advice: true });

/** A text with the values of the refusal in the place of their names in braces. */
export const fill = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));

/** Advice that no trial can confirm. */
export const advise =
  (text: string): Smallest =>
  (question) => [advice(fill(text, toValues(question)))];

/** The values of the only, or the first, violation of a rule. */
export const toValues = ({ rejection }: RejectedRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(rejection.values[0] ?? {}).map(([name, value]) => [name, String(value ?? "")]));

/** The paths in body, path and query at which a value stands. */
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

/** The same value put at each of these paths. */
export const setAt = (paths: readonly string[], value: unknown): Record<string, unknown> =>
  Object.fromEntries(paths.map((path) => [path, value]));

export function readAt(question: Pick<RejectedRequest, "body" | "path" | "query" | "headers">, path: string): unknown {
  const [section = "", ...names] = path.split(".");
  const root = { body: question.body, path: question.path, query: question.query, header: question.headers }[section];
  return names.reduce<unknown>(getSent, root);
}
