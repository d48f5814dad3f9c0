// What of the specification does not bind while a world takes another answer to an open question: the schemas that cite that
// assumption, and the status of success. Everything else is checked as ever.
import type { IHttpOperation } from "@stoplight/types";
import type { Route } from "./exchange.ts";

/** The answers that the specification, which has the usual ones, would refuse; what is sent to us has a schema in its place. */
const FLIPS: Readonly<Record<string, { value: string; schema?: object }>> = {
  "availability-shape": { value: "string" },
  "booking-create-status": { value: "200" },
  "gift-card-extend-body": {
    value: "expiry_date",
    schema: {
      type: "object",
      required: ["expiry_date"],
      properties: { expiry_date: { type: "string", format: "date" } },
    },
  },
  "order-origin": { value: "GIFT_CARD" },
  "posting-fields": { value: "signed" },
  "posting-vat-rate": { value: "number" },
  "step-image": { value: "string" },
};

const cited = new WeakMap<IHttpOperation, { ids: string[]; routes: Map<string, Route> }>();

/** The route as it binds a world that assumes so. */
export function lifted(route: Route, assumes: (id: string) => string): Route {
  const { operation } = route;
  const known = cited.get(operation) ?? { ids: citedIn(operation), routes: new Map<string, Route>() };
  cited.set(operation, known);
  const taken = known.ids.filter((id) => assumes(id) === FLIPS[id]?.value);
  if (taken.length === 0) return route;
  const other = known.routes.get(taken.join()) ?? { ...route, operation: otherwise(operation, taken) };
  known.routes.set(taken.join(), other);
  return other;
}

function citedIn(operation: IHttpOperation): string[] {
  const text = JSON.stringify(operation);
  return Object.keys(FLIPS).filter((id) => text.includes(`"${id}"`));
}

function otherwise(operation: IHttpOperation, taken: readonly string[]): IHttpOperation {
  const without = withoutSchemas(operation, taken) as IHttpOperation;
  return taken.includes("booking-create-status") ? withStatus(without, "201", "200") : without;
}

/** A copy in which a schema that cites one of these is the other one, or takes everything. */
function withoutSchemas(node: unknown, ids: readonly string[]): unknown {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((each) => withoutSchemas(each, ids));
  const { "x-assumption": citing, ...members } = node as Record<string, unknown>;
  const flipped = ids.find((id) => id === citing || (Array.isArray(citing) && citing.includes(id)));
  if (flipped !== undefined) return FLIPS[flipped]?.schema ?? {};
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
