// The verb `call` sends a request to an operation of the service. The OpenAPI document decides where members of `with` go. `as` selects the
// token: `none`, scopes, or `raw:` and a text. The form of createToken has defaults.

import type { Schemas } from "../../../client/control.ts";
import { isForm } from "../../../contract/document/document.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { optional } from "../../../platform/optional.ts";
import { ask } from "../client.ts";
import { arrange, type Operation } from "../operations.ts";
import type { Step } from "../scenario.ts";
import type { PlayContext, StepOutcome, Verb } from "./verb.ts";

export const call: Verb = {
  name: "call",
  answers: ["status", "headers", "body", "error"],
  about: (step) => step.call ?? "",
  async play(step, context): Promise<StepOutcome> {
    const operation = context.known.operations.get(step.call ?? "") as Operation;
    // Members of the step take precedence over the defaults.
    const members =
      operation.id === "createToken" ? { ...createTokenForm(context.world), ...step.with } : (step.with ?? {});
    const { path, headers, body } = arrange(operation, members, step.query);
    const all = {
      ...(await authorize(step, operation, context)),
      ...headers,
      ...createTypeHeader(operation, body),
      ...readExtraHeaders(step),
    };
    const { method } = operation;
    const { signal } = context;
    const sent = { method, url: `${context.url}${path}`, headers: all, body: serializeBody(operation, body) };
    const outcome = await ask({ ...sent, ...optional({ signal }) });
    const { status, error } = outcome;
    return {
      sent: { method, path, ...(body === undefined ? {} : { body }) },
      outcome: { status, headers: outcome.headers, body: outcome.body, ...(error ? { error } : {}) },
      ...(outcome.headers["sandbox-request-id"] ? { requestId: outcome.headers["sandbox-request-id"] } : {}),
    };
  },
};

/** Returns the form that requests a token of the world's key with all scopes. */
export function createTokenForm({ url, client_id, client_secret }: Schemas["NewWorld"]) {
  return { grant_type: "client_credentials", audience: url, client_id, client_secret };
}

async function authorize(step: Step, { id }: Operation, context: PlayContext): Promise<Record<string, string>> {
  // A token request has its key in the form.
  if (step.as === "none" || (id === "createToken" && step.as === undefined)) return {};
  const { as } = step;
  const isRaw = typeof as === "string" && as.startsWith("raw:");
  const token = isRaw ? as.slice(4) : await context.getToken(typeof as === "string" ? [as] : as);
  return { authorization: `Bearer ${token}` };
}

function createTypeHeader(operation: Operation, body: JsonObject | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { "content-type": isForm(operation.body) ? "application/x-www-form-urlencoded" : "application/json" };
}

/** Reads headers that the document does not name. Null removes a header. */
function readExtraHeaders(step: Step): Record<string, string> {
  const entries = Object.entries(step.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value ?? "")]);
  return Object.fromEntries(entries);
}

function serializeBody(operation: Operation, body: JsonObject | undefined): string | undefined {
  if (body === undefined || !isForm(operation.body)) return body && JSON.stringify(body);
  const fields = Object.entries(body).filter(([, value]) => value !== null);
  return new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)])).toString();
}
