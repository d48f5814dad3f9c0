// The shape of an operation, which joins the specification and the rules: it reads the records that a rule needs, calls the rule, and
// returns the response. Types come from the specification.

import type { operations } from "../../contract/generated/api.ts";
import type { JsonContent } from "../../contract/schemas.ts";
import type { NegotiatedLocale } from "../domain/catalogue/catalogue-views.ts";
import { getLanguages, negotiate } from "../domain/catalogue/language.ts";
import type { Key } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

type OperationId = Exclude<
  keyof operations,
  "createToken" | "getOpenIdConfiguration" | "getAuthorizationServerMetadata"
>;

type MemberOf<T, Name extends string> = T extends { [N in Name]?: infer V } ? V : undefined;
type Parameters<Id extends OperationId, Place extends string> = NonNullable<
  MemberOf<operations[Id]["parameters"], Place>
>;
type Success<Responses> = Responses extends { 200: infer A }
  ? JsonContent<A>
  : Responses extends { 201: infer A }
    ? JsonContent<A>
    : undefined;

/** A valid request: values have the types of the schema, and defaults are applied. */
export interface Ask<Id extends OperationId> {
  path: Parameters<Id, "path">;
  query: Parameters<Id, "query">;
  headers: Readonly<Record<string, string | undefined>>;
  body: JsonContent<NonNullable<MemberOf<operations[Id], "requestBody">>>;
  /** The key behind the token. */
  caller: Key;
  /** A new secret for a webhook subscription, from the system's random source. */
  newSecret(): string;
}

interface OperationResponse<Body> {
  status: number;
  headers?: Record<string, string>;
  body?: Body;
}

export interface Operation<Id extends OperationId> {
  id: Id;
  /** Throws when the record in the path is missing; only for operations that report this before they validate the body. */
  find?(tx: Transaction, path: Ask<Id>["path"]): unknown;
  answer(tx: Transaction, ask: Ask<Id>): OperationResponse<Success<operations[Id]["responses"]>>;
}

/** Creates an operation that responds 200 with a body. In spite of the function's name, the operation may change records. */
export function read<Id extends OperationId>(
  id: Id,
  body: (tx: Transaction, ask: Ask<Id>) => Success<operations[Id]["responses"]>,
): Operation<Id> {
  return { id, answer: (tx, ask) => ({ status: 200, body: body(tx, ask) }) };
}

/** Creates such an operation in the language that the request prefers, named by `content-language`. Assumption: language. */
export function readInLanguage<Id extends OperationId>(
  id: Id,
  body: (tx: Transaction, ask: Ask<Id>, locale: NegotiatedLocale) => Success<operations[Id]["responses"]>,
): Operation<Id> {
  return {
    id,
    answer(tx, ask) {
      const locale = getLocale(tx, ask.headers["accept-language"]);
      return { status: 200, headers: { "content-language": locale.language }, body: body(tx, ask, locale) };
    },
  };
}

/** Negotiates the language of a response from the request's Accept-Language and the storefront. */
export function getLocale(tx: Transaction, header: string | undefined): NegotiatedLocale {
  const storefront = getLanguages(tx);
  const status = tx.assumes("language-mismatch") === "400" ? 400 : 406;
  return { language: negotiate(header, storefront, status), storefront };
}
