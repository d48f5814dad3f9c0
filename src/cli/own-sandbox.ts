// Starts a temporary sandbox in memory on a free port, for commands that play or check scenarios.
import { defaults } from "../engine/settings.ts";
import type { FixtureFolders, Target } from "../stories/scenario/index.ts";

/** Starts a sandbox with these settings over the defaults. Rejects like `boot`. The caller closes the sandbox. */
export async function startOwnSandbox(inputs: Record<string, unknown>): Promise<Target & { close(): Promise<void> }> {
  const { boot } = await import("./boot.ts");
  const { introduction, close } = await boot({ ...defaults, ...inputs });
  const { url, control_url, control_token } = introduction.announcement;
  return { url, controlUrl: control_url, controlToken: control_token, close };
}

/** Reads fixture folders for the scenario player, which has no access to files of fixtures. */
export const ownFolders: FixtureFolders = {
  findProblems: async (folder) => (await import("./terminal/fixture-problems.ts")).findFixtureProblems(folder),
  readFingerprint: async (folder) => (await import("../engine/fixtures/index.ts")).readFixture(folder, "").print,
};
