// What of the specification does not bind while a world takes another answer to an open question: the schemas that cite that
// assumption, and the status of success. Everything else is checked as ever.
import type { IHttpOperation } from "@stoplight/types";
import type { Route } from "./exchange.ts";

/** The answers that the specification, which has the usual ones, would refuse. */
const FLIPS: Readonly<Record<string, string>> = {
  "availability-shape": "string",
  "booking-create-status": "200",
  "gift-card-extend-body": "expiry_date",
  "posting-fields": "signed",
  "step-image": "string",
};

const cited = new WeakMap<IHttpOperation, string[]>();

/** The route as it binds a world that assumes so. */
export function lifted(route: Route, assumes: (id: string) => string): Route {
  const { operation } = route;
  const ids = cited.get(operation) ?? Object.keys(FLIPS).filter((id) => JSON.stringify(operation).includes(`"${id}"`));
  cited.set(operation, ids);
  const taken = ids.filter((id) => assumes(id) === FLIPS[id]);
  if (taken.length === 0) return route;
  const without = withoutSchemas(operation, taken) as IHttpOperation;
  return { ...route, operation: taken.includes("booking-create-status") ? withStatus(without, "201", "200") : without };
}

/** A copy in which a schema that cites one of these takes everything. */
function withoutSchemas(node: unknown, ids: readonly string[]): unknown {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((each) => withoutSchemas(each, ids));
  const { "x-assumption": citing, ...members } = node as Record<string, unknown>;
  if (ids.some((id) => id === citing || (Array.isArray(citing) && citing.includes(id)))) return {};
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      name === "extensions" ? member : withoutSchemas(member, ids),
    ]),
  );
}

function withStatus(operation: IHttpOperation, usual: string, other: string): IHttpOperation {
  const responses = operation.responses.map((each) => (each.code === usual ? { ...each, code: other } : each));
  return { ...operation, responses: responses as IHttpOperation["responses"] };
}
