// Proposes changes for a request whose token, scope or client was rejected.

import { findNearest } from "../../../platform/nearest.ts";
import { SCOPES } from "../../domain/company/key.ts";
import { advice, type Proposal, type RejectedRequest, toValues } from "../rule.ts";

const TOKEN_REQUEST = "from POST /oauth2/token and send it as `Authorization: Bearer …`";

/** Proposes a new token with the same scopes. */
export const getToken = ({ scopes }: RejectedRequest): Proposal[] => [
  { text: `Get a new token ${TOKEN_REQUEST}.`, scopes, advice: true },
];

const listScopes = ({ read, clientId = "" }: RejectedRequest): readonly string[] =>
  read((tx) => tx.keys.get(clientId)?.scopes ?? []);

/** Proposes a new token if the key has the scope, and otherwise an act that grants it. */
export function addScope(question: RejectedRequest): Proposal[] {
  const scope = toValues(question).scope ?? "";
  const granted = listScopes(question);
  if (scope.split(" ").every((each) => granted.includes(each)))
    return [
      {
        text: `Get a token whose scope includes ${scope}: the key has been granted it.`,
        scopes: [...question.scopes, ...scope.split(" ")],
      },
    ];
  const scopes = [...granted, ...scope.split(" ")];
  const grant = { act: "updateKey", input: { client_id: question.clientId, scopes } };
  return [
    {
      text: `Grant the key ${scope} by the act updateKey, then get a new token.`,
      first: [grant],
      scopes,
      advice: true,
    },
  ];
}

/** Proposes the scopes of the key that are nearest to the requested ones, or an act that grants the missing ones. */
export function useGrantedScopes(question: RejectedRequest): Proposal[] {
  const { refused = "", granted = "", client_id } = toValues(question);
  const has = granted.split(" ");
  const wanted = String((question.body as Record<string, unknown>)?.scope ?? "").split(/[\s,]+/);
  const known: readonly string[] = SCOPES;
  // A misspelled scope is replaced by the nearest scope of the key.
  const meant = wanted.map((each) => (has.includes(each) || each === "openid" ? each : (findNearest(each, has) ?? "")));
  const rest = [...new Set(meant.filter((each) => each !== ""))];
  const lacks = refused.split(" ").filter((each) => known.includes(each));
  const grant = { act: "updateKey", input: { client_id, scopes: [...has, ...lacks] } };
  return [
    ...(rest.length > 0
      ? [{ text: `Ask for the scopes ${rest.join(" ")}.`, set: { "body.scope": rest.join(" ") } }]
      : []),
    ...(lacks.length > 0 ? [{ text: `Grant the key ${lacks.join(" ")} by the act updateKey.`, first: [grant] }] : []),
    advice(`Ask for scopes of the key, separated by spaces: ${granted}.`),
  ];
}

export const createKey = (question: RejectedRequest): Proposal[] => [
  advice(
    `Key ${toValues(question).client_id} is revoked permanently. Create another with the act createKey, and use its id and secret.`,
  ),
];
