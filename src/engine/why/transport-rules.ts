// Explains the rules before and around an operation: path, credentials, body, contract and armed faults. An error of
// the transport names its row, so every error has an explanation.
import type { TransportRule } from "../http/errors.ts";
import { fixViolations } from "./proposals/input.ts";
import { addScope, getToken, useGrantedScopes } from "./proposals/token.ts";
import { assumption, type Rule, sentence, specification, standard, toAdvice, toValues } from "./rule.ts";

const BEARER = standard(
  "RFC 6750 section 3",
  "A request without a valid bearer token is answered with 401 and a challenge.",
);
const GRANT = standard(
  "RFC 6749 section 5.2",
  "A token request that can't be granted is answered with an error and its description.",
);
const NO_TOKEN = sentence("Authentication: without a valid bearer token an answer is 401 UNAUTHORIZED");

/** The advice for a request that was carried out although its response was lost. */
export const LOOK_FIRST = "Search for the record by your own reference before you send the request again.";

/** The type requires a row for each rule of the transport. Names in braces are replaced by values of the rejection. */
export const transportRules: Record<TransportRule, Rule> = {
  "path-unknown": {
    rests_on: [assumption("unknown-path")],
    looked: "no operation has the path {path}",
    smallest: (question) => {
      const { nearest = "" } = toValues(question);
      return [toAdvice(nearest === "" ? "GET /openapi.json lists the paths." : `The nearest path is ${nearest}.`)];
    },
  },
  "method-unknown": {
    rests_on: [
      specification(
        "Outside the operations described here, an unknown path answers 404 with code NOT_FOUND, and a known path with another method answers 405 with code METHOD_NOT_ALLOWED and an Allow header.",
      ),
      assumption("error-codes"),
    ],
    looked: "{path} takes {allow}, not {method}",
    advice: "Send it as one of {allow}.",
  },
  "host-repeated": {
    rests_on: [standard("RFC 9112 section 3.2", "A request with more than one Host header is answered with 400.")],
    looked: "{times} Host headers",
    advice: "Send one Host header.",
  },
  "authorization-repeated": {
    rests_on: [standard("RFC 9110 section 5.3", "Only headers whose value is a list may be sent more than once.")],
    looked: "{times} Authorization headers",
    advice: "Send one Authorization header.",
  },
  "token-missing": {
    rests_on: [NO_TOKEN, BEARER, assumption("no-token")],
    looked: "the scheme of the header Authorization: {scheme}",
    smallest: getToken,
  },
  "token-malformed": {
    rests_on: [BEARER, assumption("no-token"), assumption("token-format")],
    looked: "a token of {length} characters, which does not have the form of this sandbox's tokens",
    smallest: getToken,
  },
  "token-unknown": {
    rests_on: [NO_TOKEN, BEARER, assumption("no-token")],
    looked: "a token of {length} characters, which no world issued, or which expired and was deleted",
    smallest: getToken,
  },
  "token-expired": {
    rests_on: [
      sentence("Authentication: a token expires on the world's clock"),
      assumption("token-lifetime"),
      assumption("no-token"),
    ],
    looked: "valid until {expired}; it is {now}",
    smallest: getToken,
  },
  "key-revoked": {
    rests_on: [sentence("Authentication: a revoked key's tokens answer 401"), assumption("no-token")],
    looked: "key {name} ({client_id}) was revoked at {at}",
    advice: "Create another key with the act createKey, and use its id and secret.",
  },
  "scope-missing": {
    rests_on: [
      sentence("Authentication: a token without the scope answers 403"),
      assumption("scopes"),
      assumption("scope-missing"),
    ],
    looked: "needs {scope}; the token has {granted}",
    smallest: addScope,
  },
  "preview-operation": {
    rests_on: [
      sentence("Versioning: Preview operations can't be called in production"),
      assumption("preview-production"),
      assumption("maturity-labels"),
    ],
    looked: "{operation} is labelled preview; the sandbox was started with --maturity production",
    advice:
      "Start the sandbox with --maturity preview. In production, leave the operation out until its label changes.",
  },
  "rate-limit": {
    rests_on: [sentence("Errors: beyond the rate limit an answer is 429 TOO_MANY_REQUESTS"), assumption("rate-limit")],
    looked: "request {count} of this client within a minute; the limit is {limit}",
    advice: "Wait {seconds} seconds of real time, then send the request again.",
  },
  "fault-injected": {
    rests_on: [
      sentence("Faults: an operation can fail before anything happens"),
      sentence("Faults: an answer can be lost after the change is kept"),
    ],
    looked: "an armed fault: {what}",
    smallest: (question) => [
      toAdvice(
        toValues(question).kept === "yes"
          ? LOOK_FIRST
          : "Clear the faults with `sandbox fault clear`, or send the request again when the fault has no hits left.",
      ),
    ],
  },
  unavailable: {
    rests_on: [],
    advice:
      "Wait for the seconds in Retry-After, then send the request again. If it changes data, first search for the record by your own reference.",
  },
  "body-size": {
    rests_on: [assumption("body-size")],
    looked: "the body is larger than {limit} bytes",
    advice: "Send at most {limit} bytes.",
  },
  "body-unreadable": {
    rests_on: [specification("Bodies are JSON unless stated.")],
    looked: "{why}",
    advice: "Send the body again, completely.",
  },
  "content-encoding": {
    rests_on: [assumption("error-codes")],
    looked: "content-encoding: {encoding}",
    advice: "Send the body uncompressed, or as gzip, deflate or br.",
  },
  "media-type": {
    rests_on: [specification("Bodies are JSON unless stated."), assumption("error-codes")],
    looked: "content-type: {sent}; the operation takes {accepted}",
    smallest: (question) => {
      const { accepted = "" } = toValues(question);
      const set = { "header.content-type": accepted };
      return [{ text: `Send the header content-type: ${accepted}.`, set, advice: true }];
    },
  },
  contract: {
    rests_on: [sentence("Errors: a 400 names every place that is wrong"), assumption("violations")],
    smallest: fixViolations,
  },
  "response-contract": {
    rests_on: [],
    advice: "Start without --strict-responses to get the response unchanged, and report the difference.",
  },
  "other-company": {
    rests_on: [assumption("other-company")],
    looked: "{id} is in another world",
    advice: "Use a token of the company that {id} belongs to.",
  },
  "sign-in": {
    rests_on: [assumption("openid-metadata")],
    advice: "Get a token by the client credentials grant, POST /oauth2/token.",
  },
  "grant-type": {
    rests_on: [sentence("Authentication: tokens come from the client credentials grant"), GRANT],
    looked: "grant_type: {type}",
    smallest: () => [{ text: "Send grant_type=client_credentials.", set: { "body.grant_type": "client_credentials" } }],
  },
  "grant-repeated": {
    rests_on: [GRANT, assumption("token-errors")],
    looked: "{name} was sent more than once",
    smallest: (question) => {
      const { name = "" } = toValues(question);
      return [
        {
          text: `Send ${name} once.`,
          set: { [`body.${name}`]: (question.body as Record<string, unknown> | undefined)?.[name] ?? null },
        },
      ];
    },
  },
  "client-missing": {
    rests_on: [GRANT, assumption("token-client-auth")],
    looked: "no pair of client_id and client_secret",
    advice: "Send both, in the form or as HTTP Basic; `sandbox env` prints them.",
  },
  "client-twice": {
    rests_on: [assumption("token-client-auth")],
    looked: "credentials both in the form and as HTTP Basic",
    smallest: () => [
      { text: "Send them as HTTP Basic only.", set: { "body.client_id": null, "body.client_secret": null } },
      { text: "Send them in the form only.", set: { "header.authorization": null } },
    ],
  },
  "basic-malformed": {
    rests_on: [assumption("token-client-auth")],
    looked: "the header Authorization is not Basic with the base64 form of id:secret",
    advice: "Send Basic and the base64 form of id:secret, or both in the form.",
  },
  "client-unknown": {
    rests_on: [GRANT, assumption("token-errors")],
    looked: "no world has the client {client_id}",
    advice: "`sandbox env` prints the id and the secret of a client of this sandbox.",
  },
  "client-secret": {
    rests_on: [GRANT, assumption("token-errors")],
    looked: "client {client_id} ({name}) exists, but has another secret",
    advice: "`sandbox env` prints the secret; the act createKey creates a new pair.",
  },
  audience: {
    rests_on: [assumption("token-audience")],
    looked: "audience: {sent}; this sandbox is {own}",
    smallest: (question) => {
      const { own = "" } = toValues(question);
      return [{ text: `Send audience=${own}.`, set: { "body.audience": own } }];
    },
  },
  "scope-not-granted": {
    rests_on: [
      sentence("Authentication: new scopes are not granted to existing credentials by themselves"),
      assumption("token-scope-unknown"),
    ],
    looked: "{refused} is not one of the granted scopes of the key: {granted}",
    smallest: useGrantedScopes,
    advice: "Ask for scopes of the key, separated by spaces: {granted}.",
  },
  /** Errors of the control API, and internal errors of the sandbox. */
  other: { rests_on: [] },
};
