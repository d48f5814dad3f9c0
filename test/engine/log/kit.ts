// What the tests of the data file share: a store with one world of small records, and child processes that run the
// real store (bundled once, since Node itself does not read our sources).
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { openDataFile } from "../../../src/engine/log/data-file.ts";
import { ActivityLog } from "../../../src/engine/log/log.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type Plain, toPlain } from "./open-world.ts";

export { openWorld, type Plain, toState } from "./open-world.ts";

export type Child = ChildProcessByStdio<null, Readable, null>;

export const newFile = (): string => join(makeTempFolder(), "data.json");

/** A folder as it would be found after a crash at this moment: all of it, but the lock names no living process. */
export function crashed(folder: string): string {
  const copy = makeTempFolder();
  cpSync(folder, copy, { recursive: true });
  for (const name of readdirSync(copy)) if (name.endsWith(".lock")) rmSync(join(copy, name));
  return join(copy, "data.json");
}

/** What a file holds, read the way a start reads it; the file is left as a crash would leave it. */
export async function readFile(file: string) {
  const log = new ActivityLog(1 << 20);
  const { store, state: worlds, warnings } = await openDataFile(file, { log });
  await store.close(false);
  return { worlds: [...worlds], state: toPlain(worlds), warnings, last: log.lastSeq };
}

/** The ids of the records of the world `w`, with numbers in their order. */
export function things(state: Plain | null): string[] {
  const ids = state?.find(([world]) => world === "w")?.[1].map(({ id }) => id) ?? [];
  return ids.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

/** The files of a folder with their bytes. */
export function bytesOf(folder: string): [name: string, bytes: string][] {
  return readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), "latin1")]);
}

export function bundleStore(): string {
  const outfile = join(makeTempFolder(), "store.mjs");
  const entry = fileURLToPath(new URL("./open-world.ts", import.meta.url));
  const banner = {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  };
  buildSync({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", target: "node20", outfile, banner });
  return outfile;
}

const script = fileURLToPath(new URL("./child.mjs", import.meta.url));

/** Runs a role of `child.mjs`, in an environment, or under a limit for file sizes (in kB) when one is given. */
export function runChild(bundle: string, role: string, file: string, around: object | number = {}): Child {
  const args = [script, bundle, role, file];
  const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
  if (typeof around === "object") return spawn(process.execPath, args, { stdio, env: { ...process.env, ...around } });
  return spawn("bash", ["-c", `ulimit -f ${around}; exec "$@"`, "bash", process.execPath, ...args], { stdio });
}

/** Everything a child prints until it ends. */
export async function readOutput(child: Child): Promise<string[]> {
  let text = "";
  for await (const chunk of child.stdout) text += String(chunk);
  return text.split("\n").filter((line) => line !== "");
}

/** Resolves with the first line that a child prints; the rest is left to be read. */
export function readFirstLine(child: Child): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += String(chunk);
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    child.once("close", () => reject(new Error(`the child ended, having printed "${text}"`)));
  });
}
