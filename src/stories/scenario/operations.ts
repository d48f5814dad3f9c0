// Reads the operations, acts and assumptions of a sandbox, and builds requests. Members of `with` that the OpenAPI document names go into
// path, query and headers, and the others into the body.

import type { Schemas } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { type Operation as Described, operationsOf, type Parameter } from "../../contract/document/document.ts";
import type { Json, JsonObject } from "../../platform/json.ts";
import { encodeSegment } from "../../platform/path-segment.ts";
import { ask, receive, requireOk } from "./client.ts";
import type { Target } from "./scenario.ts";

/** The part of an operation that steps and commands need. */
export type Operation = Pick<Described, "id" | "method" | "path"> & {
  parameters: readonly Pick<Parameter, "name" | "in" | "required">[];
  body: Pick<NonNullable<Described["body"]>, "type" | "required"> | undefined;
};

/** The names that a sandbox knows. */
export interface Known {
  operations: ReadonlyMap<string, Operation>;
  /** The schema of the input, by act. */
  acts: ReadonlyMap<string, JsonObject>;
  /** The allowed values, by assumption. */
  assumptions: ReadonlyMap<string, readonly string[]>;
  /** Undefined if the description of the sandbox was not read. */
  fixtures?: readonly string[];
  /** The problems of the fixture folders of scenarios. */
  folders?: ReadonlyMap<string, readonly string[]>;
  /** Environment variables that scenarios may read. */
  env?: readonly string[];
}

/** Rejects with SandboxUnreachable if the address is not that of a sandbox. */
export async function learn(target: Target, about?: Schemas["SandboxDescription"]): Promise<Known> {
  const control = createControl(target);
  const document = await requireOk(
    ask({ method: "GET", url: `${target.url}/openapi.json` }),
    `GET ${target.url}/openapi.json`,
  );
  const acts = await requireOk(receive(control.GET("/_sandbox/acts")), "GET /_sandbox/acts");
  const assumptions = await requireOk(receive(control.GET("/_sandbox/assumptions")), "GET /_sandbox/assumptions");
  return {
    operations: mapOperations(document as JsonObject),
    acts: new Map(acts.items.map(({ act, input }) => [act, input as JsonObject])),
    assumptions: new Map(
      assumptions.items.map(({ id, default: byDefault, alternatives }) => [
        id,
        [byDefault, ...alternatives.map(({ value }) => value)],
      ]),
    ),
    ...(about?.fixtures ? { fixtures: about.fixtures } : {}),
  };
}

export const mapOperations = (document: JsonObject): Map<string, Operation> =>
  new Map(operationsOf(document).map((operation) => [operation.id, operation]));

interface RequestParts {
  path: string;
  headers: Record<string, string>;
  /** Undefined if no body is sent. */
  body: JsonObject | undefined;
}

/** The case of a header's name is ignored. */
export function findParameter({ parameters }: Operation, name: string): Operation["parameters"][number] | undefined {
  const isHeader = (own: string) => own.toLowerCase() === name.toLowerCase();
  return parameters.find((each) => each.name === name || (each.in === "header" && isHeader(each.name)));
}

/** `more` are query parameters that the document does not name. Null omits a parameter, but is sent in a body. */
export function arrange(operation: Operation, members: JsonObject, more: JsonObject = {}): RequestParts {
  let path = operation.path;
  const query = new URLSearchParams();
  const ask = (name: string, value: Json) => {
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, toParameterText(each));
  };
  const headers: Record<string, string> = {};
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    // Members that are not parameters go into the body.
    const way = findParameter(operation, name)?.in ?? "body";
    if (way === "body") body[name] = value;
    else if (value === null) continue;
    else if (way === "path") path = path.replace(`{${name}}`, encodeSegment(toParameterText(value)));
    else if (way === "header") headers[name.toLowerCase()] = toParameterText(value);
    else ask(name, value);
  }
  for (const [name, value] of Object.entries(more)) ask(name, value);
  const sends = operation.body !== undefined && (operation.body.required || Object.keys(body).length > 0);
  const search = query.toString();
  return { path: search === "" ? path : `${path}?${search}`, headers, body: sends ? body : undefined };
}

function toParameterText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
