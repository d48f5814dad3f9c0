// The built library in a process of its own that can be asked, between two loads, what it holds once all garbage is collected.
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { getHeapCodeStatistics } from "node:v8";

const { startSandbox } = createRequire(import.meta.url)("../../dist/index.cjs");

const folder = mkdtempSync(join(tmpdir(), "soak-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const data = join(folder, "world.json");
const sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z", retry: "fast", data });
const { url, controlUrl, credentials } = sandbox;
process.send({ url, controlUrl, credentials });

/** What a descriptor is of; that of the folder itself is closed by now. */
function targetOf(descriptor) {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

process.on("message", async (requested) => {
  if (requested === "stop") {
    await sandbox.close();
    process.disconnect();
    return;
  }
  for (let round = 0; round < 3; round++) {
    globalThis.gc();
    await pause(20);
  }
  const targets = process.platform === "linux" ? readdirSync("/proc/self/fd").map(targetOf) : [];
  const { heapUsed, external, rss } = process.memoryUsage();
  // What V8 compiles goes on growing for minutes, and is nobody's leak.
  const code = getHeapCodeStatistics().code_and_metadata_size;
  const sockets = targets.filter((target) => target.startsWith("socket:")).length;
  process.send({
    held: heapUsed + external - code,
    code,
    rss,
    handles: process.getActiveResourcesInfo().length,
    files: targets.length - sockets,
    sockets,
  });
});
