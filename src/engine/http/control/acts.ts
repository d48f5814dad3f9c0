// Lists and performs host actions. Each act has its own path and input schema in the control specification, and its
// rule in the domain.

import { resolveReferences } from "../../../contract/document/document.ts";
import { withoutUnions } from "../../../contract/document/without-unions.mjs";
import controlDocument from "../../../contract/generated/control.json" with { type: "json" };
import { optional } from "../../../platform/optional.ts";
import { type Fact, MAX_LISTED } from "../../domain/kernel/facts.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { toCause } from "../to-exchange.ts";
import { type ControlId, defineHandlers, ok, type Requested } from "./handler.ts";

interface ActOperation {
  summary: string;
  description?: string;
  requestBody?: { content: { "application/json": { schema: object; example?: unknown } } };
}

interface ActView {
  act: string;
  summary: string;
  description?: string;
  input: { required?: readonly string[] };
  example?: unknown;
}

let known: readonly ActView[] | undefined;

/** Describes every act with its input schema, from the specification. */
export function listActViews(): readonly ActView[] {
  const document = withoutUnions(controlDocument);
  known ??= Object.entries(document.paths as Record<string, { post: ActOperation }>)
    .filter(([path]) => /^\/_sandbox\/acts\/\w+$/.test(path))
    .map(([path, { post }]) => {
      const { summary, description, requestBody } = post;
      const { schema = {}, example } = requestBody?.content["application/json"] ?? {};
      const input = resolveReferences(schema, document) as ActView["input"];
      return { act: path.slice("/_sandbox/acts/".length), summary, input, ...optional({ description, example }) };
    });
  return known;
}

export const actList = defineHandlers({ listActs: () => ok({ items: listActViews() }) });

/** Shows the first facts. The log gets all of them. */
export function showDone(exchange: Exchange, result: unknown, facts: readonly Fact[]): Answer {
  exchange.facts = facts;
  return ok({ result, facts: facts.slice(0, MAX_LISTED), fact_count: facts.length });
}

/** An operation without a handler is an act. The id of the operation is its name. */
export function performAct(requested: Requested<ControlId>): Answer {
  const { application, exchange, body } = requested;
  const act = exchange.route?.id ?? "";
  const { result, facts } = application.acts.perform(requested.world, act, body ?? {}, toCause(exchange));
  return showDone(exchange, result, facts);
}
