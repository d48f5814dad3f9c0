// A sandbox for as long as scenarios are checked or played: in memory, on a free port.

import { defaults } from "../engine/settings.ts";
import type { FixtureFolders, Target } from "../stories/scenario/index.ts";

/** `inputs`: settings over the defaults. Rejects as `boot` does; whoever started it closes it. */
export async function startOwnSandbox(inputs: Record<string, unknown>): Promise<Target & { close(): Promise<void> }> {
  const { boot } = await import("./boot.ts");
  const { introduction, close } = await boot({ ...defaults, ...inputs });
  const { url, control_url, control_token } = introduction.announcement;
  return { url, controlUrl: control_url, controlToken: control_token, close };
}

/** What the player needs to know of fixtures that lie in folders, which it can't read itself. */
export const ownFolders: FixtureFolders = {
  problemsOf: async (folder) => (await import("./terminal/fixture-problems.ts")).fixtureProblems(folder),
  fingerprintOf: async (folder) => (await import("../engine/fixtures/index.ts")).readFixture(folder, "").print,
};
