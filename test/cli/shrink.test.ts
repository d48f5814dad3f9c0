// A failing scenario is reduced to the steps that its failure needs. The remaining steps keep their text.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request as forward } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { omitMembers } from "../../src/platform/positions.ts";
import { minimize } from "../../src/stories/shrink/ddmin.ts";
import { startLocalServer } from "../local-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere } from "./in-process.ts";

const folder = makeTempFolder();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
});
afterAll(() => sandbox.close());

const HEAD = `# A comment at the top.
title: One guest gets the last seat
fixture: harbour-tours
clock: "2030-06-01T09:00:00Z"
given:
  guest:
    customer_type: PRIVATE
    name: Anna Holm
    email: anna@example.com
    address: { address_lines: [ Nyhavn 12 ], city: København, zip_code: "1051", country: DK }
`;
const ANNA = `  # She is first.
  - name: anna books
    call: createBooking
    with:
      event_id: evt-last-seat
      locale: da
      customer: \${given.guest}
      items: [ { type_id: var-adult, item_type: VARIANT, quantity: 1 } ]
    expect: { status: 201 }
`;
const BO = ANNA.replace("anna books", "bo is late").replace("She is first", "Nothing is left");
const NOISE = ["getMe", "listOrders", "listLocations"].map((call) => `  - { name: ${call}, call: ${call} }\n`);
const READ = `  - name: anna is read
    call: getBooking
    with: { bookingId: "\${anna books.body.id}" }
`;

function write(name: string, steps: readonly string[], given = ""): string {
  const file = join(folder, name);
  writeFileSync(file, `${HEAD}${given}steps:\n${steps.join("")}`);
  return file;
}

const shrunk = (file: string, ...words: string[]) =>
  runHere(["play", "--shrink", file, "--url", sandbox.url, ...words]);

test("steps that the failure does not need are dropped, and comments and layout are preserved", async () => {
  const [me = "", orders = "", locations = ""] = NOISE;
  const file = write(
    "late.yaml",
    [me, ANNA, orders, READ, "  - { name: an hour, advance: PT1H }\n", BO, locations],
    "  other: 1\n",
  );
  const { code, stdout, stderr } = await shrunk(file);
  expect(stdout).toBe(`${HEAD}steps:\n${ANNA}${BO}`);
  expect(stderr).toMatch(/^7 → 2 steps after \d+ plays\.$/m);
  expect(stderr).toContain("Fails as before at bo is late: status: wanted 201, came 409");
  expect(code).toBe(0);
  const { items } = (await (await fetch(`${sandbox.controlUrl}/worlds`)).json()) as { items: object[] };
  expect(items).toHaveLength(1);
});

test("a step that the failing step references is kept, and a step that references a dropped one is dropped", async () => {
  const cancelled = `  - name: she is cancelled
    call: getBooking
    with: { bookingId: "\${anna books.body.id}" }
    expect: { body: { status: CANCELLED } }
`;
  const { stdout } = await shrunk(write("refers.yaml", [...NOISE, ANNA, READ, cancelled]));
  expect(stdout).toBe(`${HEAD}steps:\n${ANNA}${cancelled}`);
});

test("--out writes the complete scenario, and replaces no file without confirmation", async () => {
  const [out, file] = [join(folder, "out.yaml"), write("two.yaml", [...NOISE, ANNA, BO])];
  const { code, stdout } = await shrunk(file, "--out", out, "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ from: 5, to: 2, unfinished: false, file: out });
  expect(readFileSync(out, "utf8")).toBe(`${HEAD}steps:\n${ANNA}${BO}`);
  expect(readdirSync(folder).filter((name) => name.includes(".tmp"))).toEqual([]);
  expect(await shrunk(file, "--out", out)).toMatchObject({ code: 2, stderr: expect.stringContaining("--force") });
  expect(await shrunk(file, "--out", out, "--force")).toMatchObject({ code: 0 });
});

test("a passing scenario and an invalid one are reported", async () => {
  const passes = write("passes.yaml", [ANNA]);
  expect(await shrunk(passes, "--json")).toMatchObject({
    code: 1,
    stdout: `${JSON.stringify({ error: { code: "SCENARIO_PASSES", message: `${passes} passes: there is no failure to shrink.` } })}\n`,
  });
  const wrong = write("wrong.yaml", ["  - { name: who, cal: getMe }\n"]);
  expect(await shrunk(wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining("did you mean `call`") });
  expect(await shrunk(join(folder, "none.yaml"))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no"),
  });
});

test("when the budget is used up, the current result is written and reported as unfinished", async () => {
  const { code, stdout, stderr } = await shrunk(
    write("early.yaml", [...NOISE, ANNA, BO, ...NOISE.map((step) => step.replaceAll("name: ", "name: last "))]),
    "--budget",
    "0",
  );
  expect(code).toBe(0);
  expect(stdout).not.toContain("last getMe");
  expect(stderr).toContain("Not every step was tried: the budget of 0 s is used up.");
});

test("a sandbox that disconnects or is replaced is not reported as an unstable scenario", async () => {
  const file = write("gone.yaml", [...NOISE, ANNA, BO]);
  let plays = 0;
  let most = 2;
  // In front of the sandbox, and gone with the second play, or with the sixth.
  const { url, close } = await startLocalServer((request, response) => {
    if (request.method === "POST" && request.url === "/_sandbox/worlds") plays++;
    if (plays >= most) return void request.socket.destroy();
    const { method = "", headers } = request;
    const onward = forward(`${sandbox.url}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  for (most of [2, 6]) {
    plays = 0;
    const { code, stdout } = await runHere(["play", "--shrink", file, "--url", url, "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        error: {
          code: "SANDBOX_UNREACHABLE",
          message: expect.stringContaining(`the sandbox at ${url} does not answer`),
        },
      },
    ]);
  }
  close();
  const other = await startLocalServer((_, response) => void response.end());
  const { code, stderr } = await runHere(["play", file, "--url", other.url]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`The program at ${other.url} is not a sandbox: it responded with 200`),
  ]);
  other.close();
});

test("JSON stays JSON", () => {
  const text = JSON.stringify({ given: { a: 1 }, steps: [{ name: "a" }, { name: "b" }] });
  expect(
    JSON.parse(
      omitMembers(text, [
        ["steps", 0],
        ["given", "a"],
      ]),
    ),
  ).toEqual({ steps: [{ name: "b" }] });
});

test("finds the items that only together cause a failure", async () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  for (const needed of [[], [7], [0, 49], [3, 4, 30, 41]]) {
    const holds = (retained: readonly number[]) => needed.every((each) => retained.includes(each));
    const test = async (retained: readonly number[]) => (holds(retained) ? retained : undefined);
    expect(await minimize(items, { test, parallel: 3, isOver: () => false })).toEqual(needed);
  }
});
