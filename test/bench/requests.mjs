// Requests per second of 50 clients and of one, beside bare Express that gives the same responses.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureInTurns } from "./load.mjs";
import { bookingInput, FORM_TYPE, JSON_TYPE, startSandboxServer, toTokenForm } from "./sandboxes.mjs";
import { startServer } from "./servers.mjs";

const [MEMORY_PORT, DISK_PORT, BARE_PORT] = [4610, 4611, 4612];

const GET = { path: "/v1/bookings/bkg-evening", status: 200 };
const LIST = { path: "/v1/bookings?limit=100", status: 200 };
const CREATE = { path: "/v1/bookings", method: "POST", body: bookingInput, status: 201 };
const REJECTED = { path: "/v1/bookings", method: "POST", body: {}, status: 400 };

/** `least`: the smallest share of bare Express's requests per second with 50 clients. */
const MEASUREMENTS = [
  { title: "GET one booking", request: GET, least: 1.7 },
  { title: "list 100 bookings", request: LIST, least: 1.6 },
  { title: "token", request: { path: "/oauth2/token", method: "POST", status: 200 }, least: 1.1 },
  { title: "rejected booking (400)", request: REJECTED, least: 0.45 },
  { title: "create a booking, in memory", request: CREATE, least: 0.62 },
  { title: "create a booking, on disk (`os`)", request: CREATE, least: 0.48, isOnDisk: true },
];

async function readResponses({ read, token, url, headers }) {
  const rejection = await fetch(`${url}/v1/bookings`, {
    method: "POST",
    headers: { ...headers, ...JSON_TYPE },
    body: "{}",
  });
  return {
    one: await read(GET.path),
    list: await read(LIST.path),
    created: { id: "7f3c0a9be2d14c5f8a6b1d2e3f405162", status: "ACTIVE" },
    rejection: await rejection.json(),
    token,
  };
}

export async function measureRequests(bench) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const memory = await startSandboxServer(bench, MEMORY_PORT, "--memory");
  const disk = await startSandboxServer(bench, DISK_PORT, "--data", join(folder, "world.json"));
  const responses = JSON.stringify(await readResponses(memory));
  const bareArgs = [join(import.meta.dirname, "bare.cjs"), bench.peers.express, BARE_PORT, responses];
  const bare = await startServer(bareArgs, BARE_PORT, "/healthz");
  try {
    for (const measurement of MEASUREMENTS)
      for (const clients of [50, 1])
        await measureRequest(bench, measurement, clients, measurement.isOnDisk ? disk : memory);
  } finally {
    await Promise.all([memory, disk, bare].map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureRequest(bench, { title, request, least }, clients, sandbox) {
  const { path, status, ...rest } = request;
  const isToken = path === "/oauth2/token";
  const sent = isToken ? { ...rest, body: toTokenForm(sandbox.connection) } : rest;
  const type = isToken ? FORM_TYPE : JSON_TYPE;
  const servers = {
    ours: { ...sent, url: sandbox.url + path, headers: { ...sandbox.headers, ...type } },
    express: { ...sent, url: `http://127.0.0.1:${BARE_PORT}${path}`, headers: type },
  };
  const { ours, express } = await measureInTurns(bench, servers, status, clients);
  const share = { of: "of bare Express", value: ours.rps / express.rps, sign: "≥", bound: least, unit: " ×" };
  bench.addRow(`${title}, ${clients} client${clients > 1 ? "s" : ""}`, {
    ours: ours.rps,
    express: express.rps,
    unit: "/s",
    goals: clients === 50 ? [share] : [],
  });
}
