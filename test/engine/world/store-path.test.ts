// Where a store may be, and who may read it. What is no file would block the process, signals and all, or swallow what is written.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStore } from "../../../src/engine/world/store/store.ts";
import { freshFolder, removeFolders } from "./store-kit.ts";

afterEach(removeFolders);

const isPosix = process.platform !== "win32";
const newFile = (): string => join(freshFolder(), "data.json");
const pipe = (path: string) => execFileSync("mkfifo", [path]);

describe.runIf(isPosix)("a store", () => {
  it.each<[string, (path: string) => void, RegExp]>([
    ["a folder", (path) => mkdirSync(path), /it is a folder; name a file inside it/],
    ["a named pipe", pipe, /it is a named pipe; name a file/],
    ["a device", (path) => symlinkSync("/dev/zero", path), /it is a device; name a file/],
    ["a full device", (path) => symlinkSync("/dev/full", path), /it is a device/],
    [
      "a link to a named pipe",
      (path) => {
        pipe(`${path}.pipe`);
        symlinkSync(`${path}.pipe`, path);
      },
      /it is a named pipe/,
    ],
  ])("refuses %s", async (_, make, message) => {
    const file = newFile();
    make(file);
    await expect(openStore(file)).rejects.toThrow(message);
  });

  it.runIf(process.platform === "linux")("refuses a folder that can't be made below /proc, and ends", async () => {
    await expect(openStore("/proc/nope/below/data.json")).rejects.toThrow(/Cannot make the folder of \/proc\/nope/);
  });

  it("refuses a socket", async () => {
    const file = newFile();
    const server = createServer().listen(file);
    await once(server, "listening");
    await expect(openStore(file)).rejects.toThrow(/it is a socket; name a file/);
    server.close();
  });

  it.each([
    ["its lock", ".lock", /lock names no process/],
    ["a journal", ".journal.1", /journal\.1 is not a file; move it away/],
  ])("refuses a named pipe in place of %s", async (_, ending, message) => {
    const file = newFile();
    pipe(file + ending);
    await expect(openStore(file)).rejects.toThrow(message);
  });

  it("goes through a link to a file", async () => {
    const file = newFile();
    const link = join(freshFolder(), "link.json");
    await (await openStore(file)).store.close(() => []);
    symlinkSync(file, link);
    const { store } = await openStore(link);
    await expect(openStore(file)).rejects.toThrow(/already open in this process/);
    await store.close();
  });

  it("can be read by nobody else, at any time", async () => {
    const folder = join(freshFolder(), "made");
    const file = join(folder, "data.json");
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    const { store } = await openStore(file);
    const view = () => [["w", [["things", [{ id: "t1" }]]]]] as const;
    store.append({ commit: "w", changes: [["things", "t1", { id: "t1" }]] });
    const written = store.compact(() => {
      expect([folder, file, `${file}.lock`, `${file}.journal.1`].map(modeOf)).toEqual(["700", "600", "600", "600"]);
      return view();
    });
    expect(modeOf(`${file}.journal.2`)).toBe("600");
    await written;
    expect(modeOf(file)).toBe("600");
    await store.close(view);
    expect([dirname(file), file].map(modeOf)).toEqual(["700", "600"]);
  });
});
