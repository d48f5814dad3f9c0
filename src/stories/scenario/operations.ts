// What a sandbox can do: operations from its own OpenAPI document, acts from its control surface. And where the members of `with`
// go: by the names of the document into path, query and header, the rest into the body.

import type { Schemas } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import {
  type Operation as Described,
  operationsOf as describedIn,
  type Parameter,
} from "../../contract/document/document.ts";
import type { Json, JsonObject } from "../../platform/json.ts";
import { encodeSegment } from "../../platform/path-segment.ts";
import { ask, must, receive } from "./client.ts";
import type { Target } from "./scenario.ts";

/** What a step, or a command, needs of it. */
export type Operation = Pick<Described, "id" | "method" | "path"> & {
  parameters: readonly Pick<Parameter, "name" | "in" | "required">[];
  body: Pick<NonNullable<Described["body"]>, "type" | "required"> | undefined;
};

/** The names that a sandbox knows. */
export interface Known {
  operations: ReadonlyMap<string, Operation>;
  /** Each with the schema of its input. */
  acts: ReadonlyMap<string, JsonObject>;
  /** Each with the answers that it can be given. */
  assumptions: ReadonlyMap<string, readonly string[]>;
  /** A sandbox of an earlier version does not say. */
  fixtures?: readonly string[];
  /** What is wrong with the folders that scenarios begin with. */
  folders?: ReadonlyMap<string, readonly string[]>;
  /** Variables of the environment that scenarios may read. */
  env?: readonly string[];
}

/** Rejects with SandboxUnreachable where the address is no sandbox. */
export async function learn(target: Target, about?: Schemas["SandboxDescription"]): Promise<Known> {
  const control = createControl(target);
  const document = await must(
    ask({ method: "GET", url: `${target.url}/openapi.json` }),
    `GET ${target.url}/openapi.json`,
  );
  const acts = await must(receive(control.GET("/_sandbox/acts")), "GET /_sandbox/acts");
  const assumptions = await must(receive(control.GET("/_sandbox/assumptions")), "GET /_sandbox/assumptions");
  return {
    operations: mapOperations(document as JsonObject),
    acts: new Map(acts.items.map(({ act, input }) => [act, input as JsonObject])),
    assumptions: new Map(assumptions.items.map((each) => [each.id, listAnswers(each)])),
    ...(about?.fixtures ? { fixtures: about.fixtures } : {}),
  };
}

const listAnswers = (each: Schemas["Assumption"]): string[] => [
  each.default,
  ...each.alternatives.map(({ value }) => value),
];

export const mapOperations = (document: JsonObject): Map<string, Operation> =>
  new Map(describedIn(document).map((operation) => [operation.id, operation]));

interface Placed {
  path: string;
  headers: Record<string, string>;
  /** Undefined: no body is sent. */
  body: JsonObject | undefined;
}

/** Where a member of `with` goes; what is no parameter goes into the body. */
function explainUnknownMember(operation: Operation, name: string): string {
  return findParameter(operation, name)?.in ?? "body";
}

export function findParameter({ parameters }: Operation, name: string): Operation["parameters"][number] | undefined {
  return parameters.find((each) => isSameName(each, name));
}

function isSameName(parameter: { name: string; in: string }, name: string): boolean {
  return parameter.name === name || (parameter.in === "header" && parameter.name.toLowerCase() === name.toLowerCase());
}

/** `more`: query parameters that the document does not name. Null leaves a parameter out, and is sent in a body. */
export function arrange(operation: Operation, members: JsonObject, more: JsonObject = {}): Placed {
  let path = operation.path;
  const query = new URLSearchParams();
  const ask = (name: string, value: Json) => {
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, toParameterText(each));
  };
  const headers: Record<string, string> = {};
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    const way = explainUnknownMember(operation, name);
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
