// A world of 5,000 bookings on disk: its start, its memory, and how long other requests wait while large work runs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLOCK, JSON_TYPE, startSandboxServer } from "./sandboxes.mjs";
import { median, startServer } from "./servers.mjs";

const PORT = 4620;
const BOOKINGS = 5000;

/** Sends `/healthz` one after the other while `work` runs, and returns the longest wait in milliseconds. */
async function measureLongestWait(url, work) {
  let isRunning = true;
  const probing = (async () => {
    let longest = 0;
    while (isRunning) {
      const sentAt = performance.now();
      await (await fetch(`${url}/healthz`)).text();
      longest = Math.max(longest, performance.now() - sentAt);
    }
    return longest;
  })();
  await work();
  isRunning = false;
  return probing;
}

const LARGE_WORK = {
  populate: ({ control }) => control("POST", "/state/populate", { bookings: 1000 }),
  "save a snapshot": ({ control }) => control("PUT", "/snapshots/before"),
  "restore it": ({ control }) => control("POST", "/snapshots/before/restore"),
  import: ({ url, exported }) => fetch(`${url}/_sandbox/state`, { method: "PUT", headers: JSON_TYPE, body: exported }),
  "fork the world": ({ control }) => control("POST", "/worlds/default/fork", {}),
};

export async function measureSizes(bench) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const data = join(folder, "world.json");
  const populate = [bench.bin, "world", "populate", "--bookings", BOOKINGS, "--data", data, "--clock", CLOCK, "--json"];
  try {
    execFileSync(process.execPath, populate.map(String), { stdio: "ignore" });
    const [times, memories] = [[], []];
    for (let round = 0; round < bench.starts; round++) {
      const args = [bench.bin, "start", "--data", data, "--port", PORT, "--quiet"];
      const server = await startServer(args, PORT, "/healthz", { signal: "SIGKILL" });
      times.push(server.ms);
      memories.push(server.readMemory());
      await server.stop();
    }
    const addRow = (title, ours, unit, bound) =>
      bench.addRow(title, { ours, unit, goals: [{ value: ours, sign: "≤", bound }] });
    addRow("start from a file with 5,000 bookings", median(times), " ms", 1000);
    addRow("memory after that start", median(memories), " MB", 250);
    const sandbox = await startSandboxServer(bench, PORT, "--data", data);
    // Read before the measurement, because parsing it here would delay the probe.
    const exported = await (await fetch(`${sandbox.url}/_sandbox/state`)).arrayBuffer();
    const server = { ...sandbox, exported };
    for (const [title, work] of Object.entries(LARGE_WORK))
      addRow(
        `longest wait of another request: ${title}`,
        await measureLongestWait(server.url, () => work(server)),
        " ms",
        100,
      );
    await server.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
