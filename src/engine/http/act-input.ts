// Validates the input of acts that are not sent by HTTP (a fixture's history), by the same contract.
import { suggest } from "../../platform/nearest.ts";
import { omitPath, reject } from "../domain/kernel/domain-error.ts";
import { HttpError } from "./errors.ts";
import { findFirstError, findRejectedSections } from "./fast-validators.ts";
import { allRoutes, findRoute } from "./routes.ts";
import { toViolation } from "./violation.ts";

export function checkAct(act: string, input: unknown): unknown {
  const route = findRoute(act);
  if (!route?.control) {
    const acts = allRoutes.filter(({ control }) => control).map(({ id }) => id);
    throw new HttpError(404, `There is no act ${act}.${suggest(act, acts)}`);
  }
  const sent = { raw: undefined, body: input, query: {}, params: {}, headers: { "content-type": "application/json" } };
  if (findRejectedSections(sent, route).length === 0) return input;
  const error = findFirstError(input, route);
  if (!error) return reject("INVALID_INPUT", { path: "body", what: "does not fit." });
  const { location, message } = toViolation(error, "body", sent, []);
  const what = omitPath(location.join("."), message);
  // An unknown field is named, so that its line in the file is found.
  const extra = error.keyword === "additionalProperties" ? [String(error.params.additionalProperty)] : [];
  return reject("INVALID_INPUT", { path: [...location, ...extra].join("."), what });
}
