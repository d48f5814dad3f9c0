// sandbox export: a collection in each form, read as its program reads it, and every request of it sent to a new world.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import vm from "node:vm";
import { collectionBruToJson } from "@usebruno/lang";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Documented } from "../documented.ts";
import { openSandbox, type TestSandbox, type TestWorld } from "../sandbox.ts";
import { brunoAt, type Collection, httpFileAt, play, postmanAt } from "./collections.ts";
import { runHere } from "./in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sandbox-export-"));
let sandbox: TestSandbox;
let statuses: number[];
beforeAll(async () => {
  sandbox = await openSandbox();
  const document = new Documented(
    (await (await fetch(`${sandbox.url}/openapi.json`)).json()) as Record<string, unknown>,
  );
  statuses = statusesOf(document);
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** The documented success of each example, by the order of the headings, as the collections have them. */
function statusesOf(document: Documented): number[] {
  const all = [...document.operations()].map(({ operation }) => operation as typeof operation & { tags: string[] });
  const tags = [...new Set(all.flatMap((each) => each.tags))];
  return tags.flatMap((tag) =>
    all
      .filter((each) => each.tags[0] === tag)
      .flatMap(({ responses, requestBody }) => {
        const [media] = Object.values(requestBody?.content ?? {});
        const success = Number(Object.keys(responses).find((status) => status.startsWith("2")));
        return Array.from({ length: Math.max(1, Object.keys(media?.examples ?? {}).length) }, () => success);
      }),
  );
}

const run = (line: string, environment: Record<string, string> = {}) => runHere(line.split(" "), environment);

async function exported(format: string): Promise<{ world: TestWorld; place: string }> {
  const world = await sandbox.world();
  const workFolder = join(folder, format);
  const { code, stdout, stderr } = await run(`export ${format} ${workFolder} --url ${sandbox.url} --world ${world.id}`);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`Wrote ${statuses.length} requests to ${workFolder}.`);
  return { world, place: workFolder };
}

it("An export is no request of the program, so the log does not have it", async () => {
  const logged = () => run(`logs --json --kinds request --url ${sandbox.url}`).then(({ stdout }) => stdout);
  const before = await logged();
  expect((await run(`export http ${join(folder, "quiet")} --url ${sandbox.url}`)).code).toBe(0);
  expect(await logged()).toBe(before);
});

async function mustWork(collection: Collection, world: TestWorld): Promise<void> {
  expect(Object.fromEntries(collection.variables)).toEqual({
    base_url: sandbox.url,
    client_id: world.clientId,
    client_secret: world.clientSecret,
  });
  const { sent, failed } = await play(collection);
  expect(failed).toEqual([]);
  expect(sent).toHaveLength(statuses.length);
  expect(sent.map(({ url, body = "" }) => url + body).join()).not.toMatch(/\{\{|undefined/);
}

describe("Every request answers its documented success in a new world:", () => {
  it("Postman", async () => {
    const { world, place } = await exported("postman");
    await mustWork(postmanAt(place), world);
  });

  it("Postman, without the request for a token, and again", async () => {
    const { place } = await exported("postman");
    const { variables, steps } = postmanAt(place);
    const others = { variables, steps: steps.slice(1) };
    for (const _ of ["once", "again"]) expect((await play(others)).failed).toEqual([]);
  });

  it("Bruno", async () => {
    const { world, place } = await exported("bruno");
    await mustWork(brunoAt(place), world);
    const { auth, script } = collectionBruToJson(readFileSync(join(place, "collection.bru"), "utf8"));
    expect(auth.mode).toBe("bearer");
    expect(() => new vm.Script(`async () => { ${script.req} }`)).not.toThrow();
    expect(JSON.parse(readFileSync(join(place, "bruno.json"), "utf8"))).toMatchObject({
      version: "1",
      type: "collection",
    });
  });

  it.each(["experience-sandbox.http", "experience-sandbox.jetbrains.http"])(".http, %s", async (file) => {
    const { world, place } = await exported("http");
    await mustWork(httpFileAt(join(place, file), statuses), world);
  });
});

it("A Postman collection has what format 2.1 requires, and the secret is in the environment only", async () => {
  const { world, place } = await exported("postman");
  const [collection = "", environment = ""] = readdirSync(place)
    .sort()
    .map((file) => readFileSync(join(place, file), "utf8"));
  expect(collection).not.toContain(world.clientSecret);
  expect(environment).toContain(world.clientSecret);
  const { info, item } = JSON.parse(collection);
  expect(info.schema).toBe("https://schema.getpostman.com/json/collection/v2.1.0/collection.json");
  expect(item.flatMap((each: { item: object[] }) => each.item)).toHaveLength(statuses.length);
  expect(JSON.parse(environment)._postman_variable_scope).toBe("environment");
});

it("An export replaces an earlier one and leaves other files alone", async () => {
  const { place } = await exported("http");
  writeFileSync(join(place, "mine.http"), "GET http://127.0.0.1/\n");
  await exported("http");
  expect(readdirSync(place).sort()).toEqual([
    "experience-sandbox.http",
    "experience-sandbox.jetbrains.http",
    "mine.http",
  ]);
});

it("From a world of another fixture it says whose ids the requests have", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  const { code, stderr } = await run(`export http ${join(folder, "empty")} --url ${sandbox.url} --world ${world.id}`);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(`The ids in them are of harbour-tours, and the world ${world.id} began with empty`),
  ]);
});

it("With --json it prints what it wrote", async () => {
  const { code, stdout } = await run(`export postman ${join(folder, "json")} --url ${sandbox.url} --json`);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    format: "postman",
    folder: join(folder, "json"),
    files: ["experience-sandbox.postman_collection.json", "experience-sandbox.postman_environment.json"],
    requests: statuses.length,
  });
});

describe("What can't be exported is said in one sentence:", () => {
  it.each([
    ["export postmn x", 2, "The format is postmn. Did you mean postman? It takes postman, bruno or http."],
    ["export", 2, "format"],
    ["export postman package.json", 2, "package.json is a file. Name a folder; it is made where there is none."],
    ["export postman x --url http://127.0.0.1:65534", 1, "No sandbox answers at http://127.0.0.1:65534"],
    ["export http package.json/x", 1, "could not be written to package.json/x"],
  ])("%s", async (line, code, words) => {
    const message = await run(line, { SANDBOX_URL: sandbox.url });
    expect([message.code, message.stderr]).toEqual([code, expect.stringContaining(words)]);
    expect(message.stdout).toBe("");
  });
});
