// Runs the mirror through a soak, in a thread, and asks for its state by reading its file.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownSandbox } from "../../../src/cli/own-sandbox.ts";
import { type Soak, type SoakOptions, soak } from "../../../src/verdict/soak/index.ts";
import { inThread } from "../matrix.ts";

export const mirror = fileURLToPath(new URL("mirror.mjs", import.meta.url));
export async function soaked(
  given: Readonly<Record<string, string>>,
  options: Partial<SoakOptions> = {},
): Promise<Soak> {
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  const kept = () => JSON.parse(readFileSync(join(folder, "state.json"), "utf8")) as { bookings: object };
  try {
    return await soak({
      ...{
        command: ["node", "mirror.mjs"],
        seed: "7",
        days: 3,
        rate: 1,
        restarts: 1,
        scope: "changed",
        folder,
        dayMs: 400,
      },
      ...{ patienceMs: 20_000, isOver: () => false, webhookUrl: "http://127.0.0.1:{port}/hooks" },
      launch: inThread(mirror, given),
      probe: async () => ({ bookings: Object.values(kept().bookings) }),
      start: (place) => ownSandbox({ clock: "anchor", ...place }),
      ...options,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
