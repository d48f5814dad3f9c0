// The host's acts. Each has its own path and input schema in the control specification, and its rule in the domain.

import { withoutUnions } from "../../../contract/document/without-unions.mjs";
import controlDocument from "../../../contract/generated/control.json" with { type: "json" };
import { readPointer } from "../../../platform/member-paths.ts";
import type { RequestsPort, WorldsPort } from "../../app/application.ts";
import { type Fact, MAX_LISTED } from "../../domain/kernel/facts.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { toCause } from "../log-request.ts";
import { type ControlId, handlersWith, ok, type Requested } from "./handler.ts";

type ActSchema = { [name: string]: unknown };

const document = () => withoutUnions(controlDocument);

/** The input schema of an act, with its references resolved. */
function resolved(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, depth));
  if (typeof value !== "object" || value === null || depth > 20) return value;
  // Twenty levels are deeper than any input; a schema that names itself ends there.
  const reference = (value as ActSchema).$ref;
  if (typeof reference === "string") return resolved(readPointer(document(), reference), depth + 1);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member, depth + 1)]));
}

interface ActView {
  act: string;
  summary: string;
  description?: string;
  input: { required?: readonly string[] };
  example?: unknown;
}

let known: ActView[] | undefined;

/** Every act with its input schema, from the specification. */
export function actViews(): ActView[] {
  // Made once: the specification does not change while the sandbox runs.
  known ??= Object.entries(document().paths as ActSchema)
    .filter(([path]) => /^\/_sandbox\/acts\/\w+$/.test(path))
    .map(([path, item]) => {
      const { summary, description, requestBody } = (item as { post: ActSchema }).post;
      const content = ((requestBody as ActSchema | undefined)?.content as ActSchema | undefined)?.[
        "application/json"
      ] as ActSchema | undefined;
      const example = content?.example;
      return {
        act: path.slice("/_sandbox/acts/".length),
        summary: String(summary),
        ...(description ? { description: String(description) } : {}),
        input: resolved(content?.schema ?? {}) as ActView["input"],
        ...(example === undefined ? {} : { example }),
      };
    });
  return known;
}

export const actList = handlersWith()({ listActs: () => ok({ items: actViews() }) });

/** Keeps all facts for the log, and lists the first of them. */
export function showDone(exchange: Exchange, result: unknown, facts: readonly Fact[]): Answer {
  exchange.facts = facts;
  return ok({ result, facts: facts.slice(0, MAX_LISTED), fact_count: facts.length });
}

/** Any operation that is in no table is an act, by the name of its path. */
export function performAct(requested: Requested<ControlId, RequestsPort & WorldsPort>): Answer {
  const { application, exchange, body } = requested;
  const act = exchange.route?.id ?? "";
  const { result, facts } = application.acts.perform(requested.world, act, body ?? {}, toCause(exchange));
  return showDone(exchange, result, facts);
}
