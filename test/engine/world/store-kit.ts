// What the store's tests share: folders that go away, what a store holds as plain arrays, and child processes that run the
// real store (bundled once, since Node itself does not read our sources).
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { openStore, type Row, type StateDump } from "../../../src/engine/world/store/store.ts";

export type Plain = [world: string, [collection: string, rows: Row[]][]][];
export type Child = ChildProcessByStdio<null, Readable, null>;

const folders: string[] = [];

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A folder as it would be found after a crash at this moment: all of it, but the lock names no living process. */
export function crashed(folder: string): string {
  const copy = freshFolder();
  cpSync(folder, copy, { recursive: true });
  for (const name of readdirSync(copy)) if (name.endsWith(".lock")) rmSync(join(copy, name));
  return join(copy, "data.json");
}

export function plain(retained: StateDump | null): Plain | null {
  return (
    retained &&
    [...retained].map(([world, collections]) => [world, [...collections].map(([name, rows]) => [name, [...rows]])])
  );
}

/** What a file holds, read the way a start reads it; the file is left as a crash would leave it. */
export async function held(file: string): Promise<{ kept: Plain | null; warnings: string[] }> {
  const { store, state: retained, warnings } = await openStore(file);
  // Records of a large file are read from it.
  const records = plain(retained);
  await store.close();
  return { kept: records, warnings };
}

/** The files of a folder with their bytes, but for the lock. */
export function bytesOf(folder: string): [name: string, bytes: string][] {
  return readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), "latin1")]);
}

export function bundleStore(): string {
  const outfile = join(freshFolder(), "store.mjs");
  const entry = fileURLToPath(new URL("../../../src/engine/world/store/store.ts", import.meta.url));
  buildSync({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", target: "node20", outfile });
  return outfile;
}

const script = fileURLToPath(new URL("./store-child.mjs", import.meta.url));

/** Runs a role of `store-child.mjs`, in an environment, or under a limit for file sizes (in kB) when one is given. */
export function runChild(bundle: string, role: string, file: string, around: object | number = {}): Child {
  const args = [script, bundle, role, file];
  const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
  if (typeof around === "object") return spawn(process.execPath, args, { stdio, env: { ...process.env, ...around } });
  const limit = around;
  return spawn("bash", ["-c", `ulimit -f ${limit}; exec "$@"`, "bash", process.execPath, ...args], { stdio });
}

/** Everything a child says until it ends. */
export async function sayings(child: Child): Promise<string[]> {
  let text = "";
  for await (const chunk of child.stdout) text += String(chunk);
  return text.split("\n").filter((line) => line !== "");
}

/** Resolves with the first line that a child says; the rest is left to be read. */
export function firstLine(child: Child): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += String(chunk);
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    child.once("close", () => reject(new Error(`the child ended, having said "${text}"`)));
  });
}
