// Requests a second, at one client and at fifty: reading, listing, creating in memory and on disk, tokens, refusals; each beside bare
// Express giving the same answers and prism-cli mocking the same specification with its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTurns } from "./load.mjs";
import { CLOCK, FORM_TYPE, formOf, furnished, input, JSON_TYPE } from "./sandboxes.mjs";
import { start } from "./servers.mjs";

const [MEMORY, DISK, BARE, PRISM] = [4610, 4611, 4612, 4613];
const at = (port, path) => `http://127.0.0.1:${port}${path}`;

/** At 50 clients: the requests a second, divided by those of bare Express. */
const beside =
  (least) =>
  ({ ours, express }) => [["of bare Express", ours.rps / express.rps, "≥", least, " ×"]];
const create = { ask: () => ({ path: "/v1/bookings", method: "POST", body: input }), wanted: 201 };

/** What is asked of all of them, with the goals of fifty clients. */
const QUESTIONS = {
  "GET one booking": {
    ask: () => ({ path: "/v1/bookings/bkg-evening" }),
    wanted: 200,
    goals: beside(1.7),
  },
  "list 100 bookings": { ask: () => ({ path: "/v1/bookings?limit=100" }), wanted: 200, goals: beside(1.6) },
  "create booking, in memory": { ...create, goals: beside(0.62) },
  "create booking, on disk (`os`)": { ...create, disk: true, goals: beside(0.48) },
  "refused booking (400)": {
    ask: () => ({ path: "/v1/bookings", method: "POST", body: {} }),
    wanted: 400,
    goals: beside(0.45),
  },
  token: {
    ask: (announced) => ({ path: "/oauth2/token", method: "POST", body: formOf(announced), headers: FORM_TYPE }),
    wanted: 200,
    goals: beside(1.1),
  },
};

async function answersOf({ read, token, url, headers }) {
  const refused = await fetch(`${url}/v1/bookings`, {
    method: "POST",
    headers: { ...headers, ...JSON_TYPE },
    body: "{}",
  });
  return {
    one: await read("/v1/bookings/bkg-evening"),
    list: await read("/v1/bookings?limit=100"),
    made: { id: "7f3c0a9be2d14c5f8a6b1d2e3f405162", status: "ACTIVE" },
    refused: await refused.json(),
    token,
  };
}

export async function requests(bench) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const { bin, peers, root } = bench;
  const sandbox = (port, ...more) =>
    furnished([bin, "start", "--port", port, "--clock", CLOCK, "--json", ...more], port);
  const memory = await sandbox(MEMORY, "--memory");
  const disk = await sandbox(DISK, "--data", join(folder, "world.json"));
  const answers = JSON.stringify(await answersOf(memory));
  const bare = await start([join(import.meta.dirname, "bare.cjs"), peers.express, BARE, answers], BARE, "/healthz");
  const prism = await start(
    [peers.prism, "mock", "-p", PRISM, join(root, "src/contract/generated/openapi.json")],
    PRISM,
    "/v1/me",
  );
  try {
    for (const [name, question] of Object.entries(QUESTIONS))
      for (const clients of [50, 1]) await measure(bench, name, question, clients, question.disk ? disk : memory);
    const figures = { ours: memory.memory(), express: bare.memory(), prism: prism.memory() };
    bench.row("memory after all these requests, with what they made", { ...figures, unit: " MB" });
  } finally {
    await Promise.all([memory, disk, bare, prism].map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(bench, name, { ask, wanted, disk, goals }, clients, sandbox) {
  const { path, headers, ...rest } = ask(sandbox.announced);
  const to = (port, own) => ({ url: at(port, path), ...rest, headers: { ...own, ...(headers ?? JSON_TYPE) } });
  const servers = {
    ours: to(disk ? DISK : MEMORY, sandbox.headers),
    express: to(BARE, {}),
    prism: to(PRISM, { authorization: "Bearer x" }),
  };
  const found = await inTurns(bench, servers, wanted, clients);
  const { ours, express, prism } = found;
  const figures = { ours: ours.rps, express: express.rps, prism: prism.rps, unit: "/s" };
  const judged = clients === 50 && goals ? { goals: goals(found) } : {};
  bench.row(`${name}, ${clients} client${clients > 1 ? "s" : ""}`, { ...figures, ...judged });
}
