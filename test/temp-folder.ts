// Creates folders for tests. They are removed when the process ends.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function makeTempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-")));
  folders.push(folder);
  return folder;
}
