// Where a store may be, and who may read it. What is no file would block the process, signals and all, or swallow what is written.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTempFolder } from "../../temp-folder.ts";
import { newFile, openWorld } from "./kit.ts";

const isPosix = process.platform !== "win32";
const pipe = (path: string) => execFileSync("mkfifo", [path]);

describe.runIf(isPosix)("a data file", () => {
  it.each<[string, (path: string) => void, RegExp]>([
    ["a folder", (path) => mkdirSync(path), /is a folder; name another file/],
    ["a named pipe", pipe, /is not a file; name another file/],
    ["a device", (path) => symlinkSync("/dev/zero", path), /is not a file/],
    [
      "a link to a named pipe",
      (path) => {
        pipe(`${path}.pipe`);
        symlinkSync(`${path}.pipe`, path);
      },
      /is not a file/,
    ],
  ])("rejects %s", async (_, make, message) => {
    const file = newFile();
    make(file);
    await expect(openWorld(file)).rejects.toThrow(message);
  });

  it.runIf(process.platform === "linux")("rejects a folder that can't be created below /proc, and exits", async () => {
    await expect(openWorld("/proc/nope/below/data.json")).rejects.toThrow(/Cannot open \/proc\/nope/);
  });

  it("rejects a socket", async () => {
    const file = newFile();
    const server = createServer().listen(file);
    await once(server, "listening");
    await expect(openWorld(file)).rejects.toThrow(/is not a file/);
    server.close();
  });

  it("rejects a named pipe in place of its log", async () => {
    const file = newFile();
    await (await openWorld(file)).close();
    rmSync(`${file}.log`);
    pipe(`${file}.log`);
    await expect(openWorld(file)).rejects.toThrow(/data\.json\.log is not a file/);
  });

  it("follows a link to a file", async () => {
    const file = newFile();
    const link = join(makeTempFolder(), "link.json");
    await (await openWorld(file)).close();
    symlinkSync(file, link);
    const { close } = await openWorld(link);
    await expect(openWorld(file)).rejects.toThrow("is in use by this process");
    await close();
  });

  it("is never readable by other users", async () => {
    const folder = join(makeTempFolder(), "made");
    const file = join(folder, "data.json");
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    const { add, store, close } = await openWorld(file);
    add("t1");
    const compacted = store.compact();
    expect([folder, file, `${file}.lock`, `${file}.log`, `${file}.tmp`].map(modeOf)).toEqual([
      "700",
      ...Array(4).fill("600"),
    ]);
    await compacted;
    expect([file, `${file}.log`].map(modeOf)).toEqual(["600", "600"]);
    await close();
    expect([dirname(file), file, `${file}.log`].map(modeOf)).toEqual(["700", "600", "600"]);
  });
});
