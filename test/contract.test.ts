// The specification, the program and the tests speak of the same things: operations, acts, kinds, scopes, assumptions. What is
// missing on one side is named here.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import control from "../src/contract/generated/control.json" with { type: "json" };
import flips from "../src/contract/generated/flips.json" with { type: "json" };
import document from "../src/contract/generated/openapi.json" with { type: "json" };
import { acts } from "../src/engine/acts/index.ts";
import { SCOPES } from "../src/engine/domain/company/key.ts";
import { EVENT_KINDS } from "../src/engine/domain/kernel/kinds.ts";
import { handlers } from "../src/engine/http/control/index.ts";
import { operations } from "../src/engine/operations/index.ts";
import { kinds } from "../src/engine/webhooks/kinds.ts";
import { whyHandlers } from "../src/engine/why/index.ts";
import { createHandlers } from "../src/hosted/control/handlers.ts";

type Node = Record<string, unknown>;
interface Entry {
  id: string;
  alternatives: { value: string }[];
  default: string;
  where: string[];
}

const root = fileURLToPath(new URL("..", import.meta.url));
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !name.startsWith("generated"))
    .map((name) => `${folder}/${name}`);
const read = (file: string) => readFileSync(join(root, file), "utf8");

interface Operation {
  operationId: string;
  path: string;
  security: { oauth2?: string[] }[];
  responses: Node;
  "x-maturity": string;
}

const METHODS = ["get", "post", "put", "delete", "patch"];
const operationsOf = (spec: Node) =>
  Object.entries(spec.paths as Record<string, Record<string, Node>>).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, ...item[method] }) as unknown as Operation),
  );
const sorted = (names: Iterable<string>) => [...names].sort();

/** What the transport answers itself. */
const OF_TRANSPORT = ["createToken", "getAuthorizationServerMetadata", "getOpenIdConfiguration"];

it("No schema lists a value twice, or leaves the items of a list undefined", () => {
  const wrong: string[] = [];
  const visit = (node: unknown, path: string) => {
    if (typeof node !== "object" || node === null) return;
    const { enum: values, type } = node as Node;
    if (Array.isArray(values) && new Set(values).size < values.length) wrong.push(`${path} lists a value twice`);
    if ((type === "array" || (Array.isArray(type) && type.includes("array"))) && !("items" in node))
      wrong.push(`${path} is a list of anything`);
    for (const [name, each] of Object.entries(node)) visit(each, `${path}/${name}`);
  };
  visit(document, "openapi");
  visit(control, "control");
  expect(wrong).toEqual([]);
});

describe("the operations of the specification", () => {
  const specified = operationsOf(document).map(({ operationId }) => operationId);

  it("are those that the program serves", () => {
    expect(sorted([...operations.map(({ id }) => id), ...OF_TRANSPORT])).toEqual(sorted(specified));
  });

  it("are each requested in some test", () => {
    const texts = filesIn("test", ".test.ts")
      .filter((file) => file !== "test/contract.test.ts")
      .map(read);
    // The token and the discovery documents are asked for at their paths.
    const called = (id: string, path: string) =>
      texts.some((text) => text.includes(`"${id}"`) || (OF_TRANSPORT.includes(id) && text.includes(path)));
    expect(
      operationsOf(document)
        .filter(({ operationId, path }) => !called(operationId, path))
        .map(({ operationId }) => operationId),
    ).toEqual([]);
  });

  it("each have a scope that a key can be granted, a maturity, and a document for every status", () => {
    const scheme = (
      document as { components: { securitySchemes: { oauth2: { flows: { clientCredentials: { scopes: Node } } } } } }
    ).components.securitySchemes.oauth2;
    expect(sorted(Object.keys(scheme.flows.clientCredentials.scopes))).toEqual(sorted(SCOPES));
    for (const { operationId, security, responses, "x-maturity": maturity } of operationsOf(document)) {
      if (OF_TRANSPORT.includes(operationId)) continue;
      const [{ oauth2 = [] } = {}] = security;
      expect([operationId, oauth2.filter((scope) => !SCOPES.includes(scope as never))]).toEqual([operationId, []]);
      expect([operationId, maturity]).toEqual([operationId, expect.stringMatching(/^(preview|alpha|stable)$/)]);
      expect([operationId, Object.keys(responses)]).toEqual([
        operationId,
        expect.arrayContaining(["401", ...(oauth2.length > 0 ? ["403"] : []), "429", "500", "503", "default"]),
      ]);
    }
  });
});

describe("the control surface", () => {
  const specified = operationsOf(control);

  it("has an act for every act of its specification, and vice versa", () => {
    const named = specified.filter(({ path }) => /\/acts\/\w+$/.test(path)).map(({ operationId }) => operationId);
    expect(sorted(acts.map(({ id }) => id))).toEqual(sorted(named));
  });

  it("serves every operation of its specification, and no other", () => {
    expect(
      sorted([
        ...Object.keys({ ...handlers, ...whyHandlers, ...createHandlers({} as never, {} as never) }),
        ...acts.map(({ id }) => id),
      ]),
    ).toEqual(sorted(specified.map(({ operationId }) => operationId)));
  });
});

it("the kinds in the specification are those that are sent, and those that allow a subscription", () => {
  const specified = Object.keys((document as { webhooks: Node }).webhooks);
  const schemasOf = (spec: Node) =>
    (spec as { components: { schemas: Record<string, { enum?: string[] }> } }).components.schemas;
  expect(specified).toHaveLength(14);
  expect(Object.keys(kinds)).toEqual(specified);
  expect(EVENT_KINDS).toEqual(specified);
  expect(schemasOf(document).EventKind?.enum).toEqual(specified);
  expect(schemasOf(control).Kind?.enum).toEqual(specified);
});

describe("the list of assumptions", () => {
  const register = parse(read("spec/assumptions.yaml")) as Entry[];
  const ids = register.map(({ id }) => id);
  const files = filesIn("spec", ".yaml").filter((file) => file !== "spec/assumptions.yaml");

  /** Every `x-assumption` below a node. */
  function citedIn(node: unknown): string[] {
    if (typeof node !== "object" || node === null) return [];
    const own = Array.isArray(node) ? [] : [(node as Node)["x-assumption"] ?? []].flat();
    return [...(own as string[]), ...Object.values(node).flatMap(citedIn)];
  }
  const trees = new Map(files.map((file) => [file, parse(read(file)) as Node]));
  const cited = new Map([...trees].map(([file, tree]) => [file, new Set(citedIn(tree))]));

  it("has each entry once, with a default that is not an alternative", () => {
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, default: byDefault, alternatives } of register)
      expect([id, alternatives.map(({ value }) => value)]).not.toEqual([id, expect.arrayContaining([byDefault])]);
  });

  it("has an entry for everything that the specification cites", () => {
    const unknown = [...cited].flatMap(([file, names]) =>
      [...names].filter((id) => !ids.includes(id)).map((id) => `${file} ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it("is cited in every entry, in the specification or in the program", () => {
    const sources = filesIn("src", ".ts").map(read);
    const inSpec = new Set([...cited.values()].flatMap((names) => [...names]));
    const mentions = (id: string) => sources.some((text) => new RegExp(`(^|[^\\w-])${id}($|[^\\w-])`).test(text));
    expect(ids.filter((id) => !inSpec.has(id) && !mentions(id))).toEqual([]);
  });

  it("has no alternative that is used neither by the program nor by an overlay", () => {
    const sources = filesIn("src", ".ts").map(read);
    const requested = (id: string) => sources.some((text) => text.includes(`"${id}"`));
    const checked = (id: string, value: string) => flips[`${id}=${value}`]?.operations !== undefined;
    const idle = register.filter(
      ({ id, alternatives }) => !requested(id) && alternatives.some(({ value }) => !checked(id, value)),
    );
    expect(idle.map(({ id }) => id)).toEqual([]);
  });

  /** The node that a `where` names: an operation, or a path of members into a file. */
  function nodeAt(file: string, name: string): unknown {
    const tree = trees.get(file) ?? {};
    const operation = Object.values(tree)
      .flatMap((item) => Object.values((item as Node | null) ?? {}))
      .find((node) => (node as Node | null)?.operationId === name);
    if (operation) return operation;
    const oauth2 = ((tree.components as Node | undefined)?.securitySchemes as Node | undefined)?.[name];
    if (tree[name] ?? oauth2) return tree[name] ?? oauth2;
    const [first = "", ...members] = name.split(".");
    const memberOf = (node: Node | undefined, member: string): unknown =>
      (node?.properties as Node | undefined)?.[member] ??
      (node?.allOf as Node[] | undefined)?.map((part) => memberOf(part, member)).find(Boolean);
    return members.reduce<unknown>((node, member) => memberOf(node as Node | undefined, member), tree[first]);
  }

  it("names the file that implements each entry, and that file cites it", () => {
    const wrong = register.flatMap(({ id, where }) =>
      where
        .filter((path) => {
          const [file = "", name = ""] = path.split(/ (.*)/s);
          return !existsSync(join(root, file)) || !citedIn(nodeAt(file, name)).includes(id);
        })
        .map((path) => `${id}: ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  it("names every file that cites an entry", () => {
    const silent = [...cited].flatMap(([file, names]) =>
      [...names]
        .filter((id) => !register.find((entry) => entry.id === id)?.where.some((path) => path.startsWith(`${file} `)))
        .map((id) => `${id}: ${file}`),
    );
    expect(silent).toEqual([]);
  });
});
