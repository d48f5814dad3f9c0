// Proposes changes for a request whose token or scope was rejected.

import { findNearest } from "../../../platform/nearest.ts";
import { SCOPES } from "../../domain/company/key.ts";
import { type Proposal, type RejectedRequest, toValues } from "../rule.ts";

/** Proposes a new token with the same scopes. */
export const getToken = ({ scopes }: RejectedRequest): Proposal[] => [
  { text: "Get a new token from POST /oauth2/token and send it as `Authorization: Bearer …`.", scopes, advice: true },
];

/** Proposes a new token if the key has the scope, and otherwise an act that grants it. */
export function addScope(question: RejectedRequest): Proposal[] {
  const { clientId = "", scopes } = question;
  const { scope = "" } = toValues(question);
  const wanted = scope.split(" ");
  const granted: readonly string[] = question.read((tx) => tx.keys.get(clientId)?.scopes ?? []);
  if (wanted.every((each) => granted.includes(each))) {
    const text = `Get a token whose scope includes ${scope}: the key has been granted it.`;
    return [{ text, scopes: [...scopes, ...wanted] }];
  }
  const all = [...granted, ...wanted];
  const grant = { act: "updateKey", input: { client_id: clientId, scopes: all } };
  const text = `Grant the key ${scope} by the act updateKey, then get a new token.`;
  return [{ text, first: [grant], scopes: all, advice: true }];
}

/** Proposes the scopes of the key that are nearest to the requested ones, or an act that grants the missing ones. */
export function useGrantedScopes(question: RejectedRequest): Proposal[] {
  const { refused = "", granted = "", client_id } = toValues(question);
  const has = granted.split(" ");
  const wanted = String((question.body as Record<string, unknown>)?.scope ?? "").split(/[\s,]+/);
  const known: readonly string[] = SCOPES;
  // A misspelled scope is replaced by the nearest scope of the key.
  const meant = wanted.map((each) => (has.includes(each) || each === "openid" ? each : (findNearest(each, has) ?? "")));
  const rest = [...new Set(meant.filter((each) => each !== ""))].join(" ");
  const lacks = refused.split(" ").filter((each) => known.includes(each));
  const grant = { act: "updateKey", input: { client_id, scopes: [...has, ...lacks] } };
  return [
    ...(rest === "" ? [] : [{ text: `Ask for the scopes ${rest}.`, set: { "body.scope": rest } }]),
    ...(lacks.length > 0 ? [{ text: `Grant the key ${lacks.join(" ")} by the act updateKey.`, first: [grant] }] : []),
  ];
}
