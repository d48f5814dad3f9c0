// The header `sandbox-observer`, and others like it, once hid the requests of a program from every check.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { unwrap } from "../../src/client/control.ts";
import { createControl } from "../../src/client/create-control.ts";
import { checks } from "../../src/verdict/index.ts";
import { runOnce } from "../../src/verdict/run.ts";
import { createWorldContext } from "../../src/verdict/worlds.ts";
import { runHere } from "../cli/in-process.ts";
import { startSandboxCommand } from "../cli/run-sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { careless, inThread, judged, meantBy } from "../verdict/matrix.ts";

const HEADERS = { "sandbox-observer": "command", "sandbox-by-hand": "command", "sandbox-replay-of": "req-1" };

let server: Awaited<ReturnType<typeof startOwnSandbox>>;
beforeAll(async () => {
  server = await startOwnSandbox({ clock: "anchor" });
});
afterAll(() => server?.close());

const program = careless.find((each) => meantBy(each) === "RETRY-01") ?? "";

/** The same program, with the headers on all that it sends. */
function programWithHeaders(): string {
  const path = join(makeTempFolder(), "program.mjs");
  const text = `import http from "node:http";
    import { syncBuiltinESMExports } from "node:module";
    const { request } = http;
    http.request = (url, options, then) =>
      request(url, { ...options, headers: { ...options.headers, ...${JSON.stringify(HEADERS)} } }, then);
    syncBuiltinESMExports();
    await import(${JSON.stringify(program)});`;
  writeFileSync(path, text);
  return path;
}

it("gives a program that sends such headers the same verdict, coverage and lint", async () => {
  const outcomes = async (path: string) => {
    const only = checks.filter(({ id }) => ["RETRY-01", "AUTH-02", "BOOK-03", "LANG-01"].includes(id));
    const { results, exit_code } = await judged(path, { only });
    return { exit_code, results: results.map(({ id, outcome, evidence }) => [id, outcome, evidence.length]) };
  };
  const logged = async (path: string) => {
    const context = await createWorldContext(server, { seed: "7", id: "run" });
    try {
      await inThread(path)(context.connection, {}).ended;
      const words = ["--url", server.url, "--world", "run", "--json"];
      const [coverage, lint] = [
        await runHere(["check", "coverage", ...words]),
        await runHere(["check", "log", ...words]),
      ];
      const { requests, results: found } = JSON.parse(lint.stdout);
      const results = found.map(({ id, outcome, says }: Record<string, string>) => [id, outcome, says]);
      return { coverage: JSON.parse(coverage.stdout), requests, results };
    } finally {
      await context.close();
    }
  };
  const path = programWithHeaders();
  expect(await outcomes(path)).toEqual(await outcomes(program));
  const found = await logged(path);
  expect(found.requests).toBeGreaterThan(5);
  expect(found).toEqual(await logged(program));
});

it("does not count what `sandbox call` and `sandbox listen` send during a run as the program's", async () => {
  const context = await createWorldContext(server, { seed: "7", id: "tools" });
  const words = ["--url", server.url, "--world", "tools"];
  const token = { grant_type: "client_credentials", audience: server.url };
  const observed = await runOnce(
    {
      open: async () => ({ ...context, close: async () => undefined }),
      service: { scopesByOperation: new Map(), needsLanguage: new Set() } as never,
      limitMs: 60_000,
      launch: () => ({ ended: useTools().then(() => ({ code: 0, output: "" })), stop: () => undefined }),
    },
    { name: "tools" },
  );
  async function useTools(): Promise<void> {
    expect(await runHere(["call", "listBookings", ...words])).toMatchObject({ code: 0 });
    expect(await runHere(["call", "createToken", ...words])).toMatchObject({ code: 0 });
    const { child, shows, ended } = startSandboxCommand(["listen", ...words]);
    await shows("Listening to");
    child.kill("SIGINT");
    await ended;
    const { client_id, client_secret, token_url } = context.connection;
    await fetch(token_url, { method: "POST", body: new URLSearchParams({ ...token, client_id, client_secret }) });
  }
  expect(observed.requests.map(({ operation }) => operation)).toEqual(["createToken"]);
  const [coverage, lint] = [
    await runHere(["check", "coverage", "operations", "--json", ...words]),
    await runHere(["check", "log", "--json", ...words]),
  ];
  expect(JSON.parse(coverage.stdout).axes).toMatchObject([{ axis: "operations", met: 1 }]);
  expect(JSON.parse(lint.stdout).requests).toBe(1);
  // The log has what a person sent all the same, with the mark.
  const { items } = await unwrap(createControl(server, "tools").GET("/_sandbox/log"));
  const marks = items.flatMap((each) => (each.kind === "request" ? [[each.operation, each.by_hand]] : []));
  expect(marks).toEqual([
    ["listBookings", true],
    ["createToken", true],
    ["createToken", undefined],
  ]);
  await context.close();
});
