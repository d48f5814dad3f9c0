// The schema of scenarios with the parts that other documents own: the names of operations, acts, kinds and scopes, and the members of a
// fault. The rest is written by hand in the same file.
import { readFileSync } from "node:fs";
import control from "../../src/contract/generated/control.json" with { type: "json" };
import fault from "../../src/contract/generated/fault-input.json" with { type: "json" };
import openapi from "../../src/contract/generated/openapi.json" with { type: "json" };
import { mapOperations } from "../../src/stories/scenario/operations.ts";
import { asFormatted } from "./config-schema.ts";

interface Definition {
  type?: string | string[] | undefined;
  enum?: readonly unknown[];
  items?: Definition;
  properties?: Readonly<Record<string, Definition>>;
  [keyword: string]: unknown;
}

interface Documented {
  paths: Record<string, unknown>;
  webhooks: Record<string, unknown>;
  components: {
    schemas: { FaultInput: { required: string[]; allOf: { anyOf: { required: string[] }[] }[] } };
    securitySchemes: { oauth2: { flows: { clientCredentials: { scopes: Record<string, string> } } } };
  };
}

const service = openapi as unknown as Documented;
const surface = control as unknown as Documented;

export const SCENARIO_SCHEMA = "spec/scenario.schema.json";

export function scenarioSchema(): { text: string; $defs: Record<string, Definition> } {
  const schema = JSON.parse(readFileSync(SCENARIO_SCHEMA, "utf8")) as { $defs: Record<string, Definition> };
  const names: Record<string, Iterable<string>> = {
    Operation: mapOperations(openapi as never).keys(),
    Act: Object.keys(surface.paths).flatMap((path) => /^\/_sandbox\/acts\/(\w+)$/.exec(path)?.[1] ?? []),
    Kind: Object.keys(service.webhooks),
    Scope: Object.keys(service.components.securitySchemes.oauth2.flows.clientCredentials.scopes),
  };
  const named = Object.entries(names).map(([name, of]) => [
    name,
    { ...schema.$defs[name], enum: ordered(schema.$defs[name], of) },
  ]);
  const $defs = { ...schema.$defs, ...Object.fromEntries(named), Fault: faultOf(schema.$defs.Fault ?? {}) };
  return { text: asFormatted({ ...schema, $defs }), $defs };
}

/** Names that were there keep their places. */
function ordered({ enum: before = [] }: Definition = {}, names: Iterable<string>): readonly string[] {
  const all = [...names];
  return [...before.map(String).filter((name) => all.includes(name)), ...all.filter((name) => !before.includes(name))];
}

function faultOf({ title, type, additionalProperties }: Definition): Definition {
  const { required, allOf } = surface.components.schemas.FaultInput;
  const doing = allOf.flatMap(({ anyOf }) => anyOf).map((each) => each.required);
  const words = doing
    .flat()
    .map((name) => `\`${name}\``)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");
  const properties = Object.entries(fault.members).map(([name, member]) => [
    name,
    memberOf(name, member as Definition),
  ]);
  return {
    title,
    type,
    additionalProperties,
    required,
    $comment: `a fault says what goes wrong: ${words}`,
    anyOf: doing.map((names) => ({ required: names })),
    properties: Object.fromEntries(properties),
  };
}

/** What names an operation or a kind is held against the names above; a choice has a title for the sentence that refuses another. */
function memberOf(name: string, member: Definition): Definition {
  const { description } = member;
  if (name === "operation") return { description, if: { const: "*" }, else: { $ref: "#/$defs/Operation" } };
  if (name === "kind") return { description, $ref: "#/$defs/Kind" };
  const inner = Object.entries(member.properties ?? {}).map(([each, of]) => [each, memberOf(each, of)]);
  const isNamed = member.enum !== undefined && member.type === "string";
  return {
    ...(isNamed || inner.length > 0 ? { title: name } : {}),
    ...member,
    ...(inner.length > 0 ? { properties: Object.fromEntries(inner) } : {}),
  };
}
