// Time from the start of a process to its first response, in turns with bare Express, on this line of Node and on newer ones.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readConnection, requestToken } from "./sandboxes.mjs";
import { median, startServer } from "./servers.mjs";

const [PORT, BARE_PORT] = [4610, 4612];

async function startSandboxOnce({ bin }, node) {
  const args = [bin, "start", "--memory", "--port", PORT, "--json"];
  const server = await startServer(args, PORT, "/healthz", { node });
  const connection = await readConnection(server);
  const { access_token: token } = await requestToken(connection);
  const response = await fetch(`${connection.url}/v1/bookings?limit=1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (response.status !== 200) throw new Error(`The first list of bookings got ${response.status}.`);
  const firstRead = performance.now() - server.startedAt;
  await pause(100);
  const memory = server.readMemory();
  await server.stop();
  return { ms: server.ms, firstRead, memory };
}

async function startBareOnce({ peers }, node) {
  const args = [join(import.meta.dirname, "bare.cjs"), peers.express, BARE_PORT, "{}"];
  const server = await startServer(args, BARE_PORT, "/healthz", { node });
  await pause(100);
  const memory = server.readMemory();
  await server.stop();
  return { ms: server.ms, memory };
}

/** Returns the median of a member of `ours` or `express`. The first start of ours fills the compile cache and isn't counted. */
async function startInTurns(bench, node) {
  await startSandboxOnce(bench, node);
  const starts = { ours: [], express: [] };
  for (let round = 0; round < bench.starts; round++) {
    starts.ours.push(await startSandboxOnce(bench, node));
    starts.express.push(await startBareOnce(bench, node));
  }
  return (server, member) => median(starts[server].map((start) => start[member]));
}

function addColdRow(bench, title, read, mostMs) {
  const [ours, express] = [read("ours", "ms"), read("express", "ms")];
  const beyond = { of: "beyond bare Express", value: ours - express, sign: "≤", bound: mostMs };
  bench.addRow(title, { ours, express, unit: " ms", goals: [beyond] });
}

export async function measureColdStart(bench) {
  const read = await startInTurns(bench, process.execPath);
  const isNode20 = process.version.startsWith("v20.");
  addColdRow(bench, `cold start to the first response, Node ${process.versions.node}`, read, isNode20 ? 180 : 60);
  bench.addRow("cold start to the first booking read, with its token", {
    ours: read("ours", "firstRead"),
    unit: " ms",
  });
  const memory = { ours: read("ours", "memory"), express: read("express", "memory"), unit: " MB" };
  bench.addRow("memory after the start", memory);
  if (bench.quick) return;
  for (const line of ["22", "24", "26"]) {
    const args = ["-y", "-p", `node@${line}`, "node", "-p", "process.execPath"];
    const node = execFileSync("npx", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    addColdRow(bench, `cold start, Node ${line}`, await startInTurns(bench, node), 60);
  }
}
