// A verdict against a sandbox that runs already: its worlds are its own, gone afterwards, and kept on request.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { type Schemas, unwrap } from "../../src/client/control.ts";
import { createControl } from "../../src/client/create-control.ts";
import { checks, judge, type Launch, type Verdict } from "../../src/verdict/index.ts";
import { runHere } from "../cli/in-process.ts";
import { startSandboxCommand } from "../cli/run-sandbox.ts";
import { careful, careless, inThread, meantBy } from "./matrix.ts";

const program = careless.find((each) => meantBy(each) === "RETRY-01") ?? "";
let server: Awaited<ReturnType<typeof startOwnSandbox>>;
beforeAll(async () => {
  server = await startOwnSandbox({ clock: "anchor" });
});
afterAll(() => server?.close());

const worlds = async () => (await unwrap(createControl(server).GET("/_sandbox/worlds"))).items.map(({ id }) => id);

const judgedThere = (only: readonly string[], keep = false, launch = inThread(program)): Promise<Verdict> =>
  judge({
    command: ["node", "program.mjs"],
    given: ["--url", server.url],
    seed: "7",
    server,
    keep,
    checks: checks.filter(({ id }) => only.includes(id)),
    launch,
    start: () => Promise.reject(new Error("no other sandbox is needed")),
    jobs: 2,
    limitMs: 60_000,
  });

it("judges in separate worlds and deletes them", async () => {
  const { results, worlds: retained } = await judgedThere(["RETRY-01"]);
  expect(results).toMatchObject([{ id: "RETRY-01", outcome: "fail" }]);
  expect(results[0]?.again).toBe(`sandbox check --only RETRY-01 --seed 7 --url ${server.url} -- node program.mjs`);
  expect(results[0]?.evidence.every(({ world }) => world === undefined)).toBe(true);
  expect(retained).toBeUndefined();
  expect(await worlds()).toEqual(["default"]);
  // What the verdict reads for itself is no request of the program.
  const { items } = await unwrap(createControl(server).GET("/_sandbox/log"));
  expect(items.filter(({ kind }) => kind === "request")).toEqual([]);
});

it("keeps them on request, each piece of evidence with its world, and the verdict for the console", async () => {
  const found = await judgedThere(["RETRY-01", "TOL-01", "TOL-02", "BOOK-03"], true);
  const { worlds: retained = [], results } = found;
  expect(retained.map((id) => id.replace(/^verdict-\w+-\d+-/, "")).sort()).toEqual([
    "control",
    "control",
    "retry-01",
    "retry-01",
    "tol-01",
    "tol-02",
  ]);
  expect(await worlds()).toEqual(expect.arrayContaining([...retained]));
  const evidence = results.flatMap((each) => each.evidence.filter(({ id }) => id.startsWith("req-")));
  expect(evidence.length).toBeGreaterThan(1);
  for (const { id, world } of evidence) {
    const entry = await unwrap(createControl(server, world).GET("/_sandbox/log/{id}", { params: { path: { id } } }));
    expect(entry).toMatchObject({ id, world });
  }
  const body = found as unknown as Schemas["Verdict"];
  const { id } = await unwrap(createControl(server).POST("/_sandbox/verdicts", { body }));
  const params = { path: { verdictId: id } };
  const { verdict } = await unwrap(createControl(server).GET("/_sandbox/verdicts/{verdictId}", { params }));
  expect(verdict).toEqual(JSON.parse(JSON.stringify(found)));
});

it("deletes the worlds that a killed verdict left, and no others", async () => {
  const control = createControl(server);
  const [expired, tomorrow] = [-1000, 86_400_000].map((ms) => (Date.now() + ms).toString(36));
  const own = [`verdict-until-${tomorrow}-mws345q5-2-retry-02`, "verdict-mws345q5-3-tol-01"];
  const before = await worlds();
  for (const id of [`verdict-until-${expired}-mws345q5-1-retry-05`, ...own])
    await unwrap(control.POST("/_sandbox/worlds", { body: { id, fixture: "empty" } }));
  let during: readonly string[] = [];
  const launch: Launch = (connection, more) => {
    const { ended, stop } = inThread(program)(connection, more);
    return { stop, ended: ended.finally(async () => (during = await worlds())) };
  };
  await judgedThere(["AUTH-04"], false, launch);
  const ofRun = /^verdict-until-\w{8}-\w{8}-3-control$/;
  expect(during.filter((id) => !before.includes(id))).toEqual(
    expect.arrayContaining([...own, expect.stringMatching(ofRun)]),
  );
  expect(await worlds()).toEqual([...before, ...own]);
});

it("is stopped by a signal, and leaves no world behind", async () => {
  const before = await worlds();
  const words = ["check", "--url", server.url, "--", process.execPath, careful];
  const { child, shows, ended } = startSandboxCommand(words);
  await shows("Running it again");
  await expect.poll(worlds).toHaveLength(before.length + 1);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 130, stdout: "" });
  expect(await worlds()).toEqual(before);
});

it("reports in one sentence an unreachable sandbox, and a world that can't be created", async () => {
  const nobody = await runHere(["check", "--url", "http://127.0.0.1:4", "--", "true"]);
  expect(nobody).toMatchObject({ code: 3, stdout: "" });
  expect(nobody.stderr).toContain("No sandbox responds at http://127.0.0.1:4 (ECONNREFUSED).");
  const words = ["check", "--url", server.url, "--webhook-url", "http://169.254.169.254/", "--", "true"];
  const refused = await runHere(words);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^--webhook-url: .*\.$/m);
});
