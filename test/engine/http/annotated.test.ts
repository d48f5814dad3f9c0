// The annotated document: what the sandbox knows about the specification, written into its descriptions.
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { shareSandbox } from "../../sandbox.ts";
import { send } from "./http-kit.ts";

type Json = Record<string, unknown>;
interface Cited {
  id: string;
  description: string;
}

const sandbox = shareSandbox();
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
let document: any;
beforeAll(async () => {
  document = (await send(sandbox, "/openapi.json?annotated")).body;
});

/** Without the descriptions that stand where an annotation may be. */
function bare(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(bare);
  if (typeof node !== "object" || node === null) return node;
  const { description, ...rest } = node as Json;
  const retained = typeof description === "object" ? { description: bare(description) } : {};
  return { ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, bare(value)])), ...retained };
}

function citations(node: unknown): Cited[] {
  if (typeof node !== "object" || node === null) return [];
  const { "x-assumption": ids = [], description } = node as Json;
  const own = [ids].flat().map((id) => ({ id: String(id), description: String(description) }));
  return [...own, ...Object.values(node).flatMap(citations)];
}

describe("The annotated document", () => {
  it("differs from the document in its descriptions only, and lists the assumptions", async () => {
    const plain = (await send(sandbox, "/openapi.json")).body;
    expect((await send(sandbox, "/openapi.json?annotated=false")).body).toEqual(plain);
    const { "x-assumptions": register, ...rest } = document;
    expect(bare(rest)).toEqual(bare(plain));
    expect(register).toHaveLength((await send(sandbox, "/_sandbox/assumptions")).body.items.length);
  });

  it("is the same in YAML", async () => {
    expect(parse((await send(sandbox, "/openapi.yaml?annotated")).text, { version: "1.1" })).toEqual(document);
  });

  it("shows for every cited assumption its value, the reason, and how to override it", () => {
    const { "x-assumptions": register, ...rest } = document;
    const cited = citations(rest);
    expect(cited.length).toBeGreaterThan(200);
    for (const { id, description } of cited) {
      expect(description).toContain(`\n\n> **Assumed: [${id}](${sandbox.url}/_sandbox/ui/assumptions/${id}).** `);
      expect(description).toMatch(/\n>\n> Basis: [\w ]+\. In force: `[^`]+`/);
    }
    const { description } = document.paths["/v1/bookings"].post;
    expect(description).toContain(
      "> Basis: published material. In force: `201`. Other values: `200` (The status is 200). Override it with `sandbox assume booking-create-status=200`.",
    );
  });

  it("adds a description beside a reference without losing that of its target", () => {
    const { address } = document.components.schemas.Location.properties;
    expect(address.description.indexOf(document.components.schemas.Address.description.trim())).toBe(0);
  });

  it("describes maturity and scopes", () => {
    const of = (path: string, method = "get") => document.paths[path][method].description as string;
    expect(of("/v1/bookings", "post")).toContain(
      "**Alpha**: production serves it; it may change without a grace period.",
    );
    expect(of("/v1/bookings", "post")).toContain("It needs a token with the scope `booking.write`.");
    expect(of("/v1/me")).toContain("It takes any valid token.");
    expect(of("/oauth2/token", "post")).toContain("It takes no token.");
  });

  it("links to the scenario that shows a response or a webhook", async () => {
    const text = JSON.stringify(document);
    const names = new Set(
      [...text.matchAll(/\]\(http:\/\/[\d.:]+(\/scenarios\/[\w-]+\.yaml)\)/g)].map(([, path = ""]) => path),
    );
    expect(names.size).toBeGreaterThan(40);
    for (const path of names) expect([path, (await send(sandbox, path)).status]).toEqual([path, 200]);
    expect(document.paths["/v1/bookings"].post.description).toMatch(
      /\n- 409 `EVENT_NOT_ACTIVE`: \[.+\]\(http:.*\/scenarios\//,
    );
    for (const [kind, { post }] of Object.entries<{ post: Json }>(document.webhooks))
      expect([kind, post.description]).toEqual([kind, expect.stringContaining("Shown by scenarios: [")]);
  });

  it("shows the active assumptions of the named world", async () => {
    const world = await sandbox.world({ fixture: "empty" });
    await world.control("put", "assumptions", { "booking-create-status": "200" });
    const { body } = await send(sandbox, `/openapi.json?annotated&world=${world.id}`);
    const { description } = body.paths["/v1/bookings"].post;
    expect(description).toContain(
      "The status is 200.\n>\n> Basis: published material. In force: `200`, which is not the default. Other values: `201` (",
    );
  });
});

it("An error about an unknown scenario names the nearest", async () => {
  const { status, body } = await send(sandbox, "/scenarios/a-company-boks.yaml");
  expect([status, body.message]).toEqual([404, "There is no scenario a-company-boks. Did you mean a-company-books?"]);
  expect((await send(sandbox, "/scenarios/..%2fpackage.json.yaml")).status).toBe(404);
});
