// A sandbox for as long as scenarios are checked or played: in memory, on a free port.
import type { Target } from "../scenario/scenario.ts";
import { defaults } from "../settings.ts";

export async function ownSandbox(inputs: Record<string, unknown>): Promise<Target & { close(): Promise<void> }> {
  const { boot } = await import("./boot.ts");
  const { introduction, close } = await boot({ ...defaults, ...inputs });
  const { url, control_url, control_token } = introduction.announcement;
  return { url, controlUrl: control_url, controlToken: control_token, close };
}
