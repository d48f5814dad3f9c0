// What only other processes can show: one data file has one process, an answered write survives a kill, and a write that the
// system refuses leaves no trace.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { explain, readErrorCode } from "../../../src/engine/log/store-error.ts";
import { extent } from "../../extent.ts";
import { bundleStore, newFile, openWorld, readFile, readFirstLine, readOutput, runChild, things } from "./kit.ts";

const ROUNDS = extent(6, 10, 40);
/** As in child.mjs. */
const WINDOW = 300;
let bundle = "";

beforeAll(() => {
  bundle = bundleStore();
});

/** A lock of a process that ran in this container. */
async function formatLock(pid: number | undefined, started = "1"): Promise<string> {
  const file = newFile();
  const { close } = await openWorld(file);
  const [, , space] = readFileSync(`${file}.lock`, "utf8").split(" ");
  await close();
  return `${pid} ${started} ${space}`;
}

describe("a data file", () => {
  it("rejects a second process with the pid of the first, and is free again when the first has died", async () => {
    const file = newFile();
    const child = runChild(bundle, "hold", file);
    const pid = await readFirstLine(child);
    await expect(openWorld(file)).rejects.toThrow(`is in use by process ${pid} (`);
    await expect(openWorld(file)).rejects.toThrow(/stop it, or use another `data` file/);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(`${file}.lock`)).toBe(true);
    const { close } = await openWorld(file);
    await expect(openWorld(file)).rejects.toThrow("is in use by this process, or a thread of it");
    expect(readFileSync(`${file}.lock`, "utf8")).toMatch(new RegExp(`^${process.pid} [\\d.]+ \\S+$`));
    await close();
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it("is free if its process has just exited, or had the current pid", async () => {
    const file = newFile();
    await readOutput(runChild(bundle, "exit", file));
    await readFile(file);
    writeFileSync(`${file}.lock`, await formatLock(process.pid));
    await readFile(file);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it("is rejected to another thread of its process, and free again when that has ended", async () => {
    const file = newFile();
    const code = `import(${JSON.stringify(bundle)}).then(async ({ openWorld }) => {
      const { close } = await openWorld(${JSON.stringify(file)});
      const { parentPort } = require("node:worker_threads");
      parentPort.once("message", () => close()).postMessage("open");
    })`;
    const thread = new Worker(code, { eval: true });
    await once(thread, "message");
    await expect(openWorld(file)).rejects.toThrow(`${file} is in use by this process, or a thread of it`);
    thread.postMessage("close");
    await once(thread, "exit");
    await readFile(file);
  });

  it("is created, and a stale lock replaced, where system errors are of another realm", () => {
    const absent = runInNewContext(`Object.assign(new Error("no such file"), { code: "ENOENT" })`);
    expect([absent instanceof Error, readErrorCode(absent)]).toEqual([false, "ENOENT"]);
    expect(explain("Cannot read x", absent).message).toMatch(/^Cannot read x: the file or its folder is gone/);
  });

  it("is locked by exactly one of many that find a stale lock at the same time", async () => {
    const file = newFile();
    const dead = runChild(bundle, "exit", newFile());
    await once(dead, "exit");
    writeFileSync(`${file}.lock`, await formatLock(dead.pid));
    const takers = Array.from({ length: 6 }, () => runChild(bundle, "try", file));
    const message = await Promise.all(takers.map(readFirstLine));
    for (const taker of takers) taker.kill("SIGKILL");
    expect(message.filter((line) => line === "open")).toHaveLength(1);
    expect(message.filter((line) => /^rejected: .*is in use/.test(line))).toHaveLength(5);
  });

  describe("used by a process of another container", () => {
    // Our own pid: in containers most processes have the pid 1.
    const elsewhere = `${process.pid} 1 another`;
    const lockOf = (file: string, secondsAgo: number): string => {
      writeFileSync(`${file}.lock`, elsewhere);
      touch(`${file}.lock`, secondsAgo);
      return `${file}.lock`;
    };
    const touch = (lock: string, secondsAgo: number) => {
      const at = Date.now() / 1000 - secondsAgo;
      utimesSync(lock, at, at);
    };

    it("is rejected while that process touches its lock, and the lock remains", async () => {
      const file = newFile();
      const lock = lockOf(file, 5);
      const touching = setInterval(touch, 50, lock, 0);
      await expect(openWorld(file)).rejects.toThrow(
        `is in use by process ${process.pid} of another container or machine (${lock})`,
      );
      clearInterval(touching);
      expect(readFileSync(lock, "utf8")).toBe(elsewhere);
    });

    it("is free at once if the lock has not been touched for a minute", async () => {
      const file = newFile();
      lockOf(file, 61);
      await readFile(file);
    });

    it("is touched by its owner, and not released by the previous owner", async () => {
      const file = newFile();
      const { close } = await openWorld(file);
      touch(`${file}.lock`, 3600);
      await vi.waitFor(() => expect(Date.now() - statSync(`${file}.lock`).mtimeMs).toBeLessThan(60_000), 30_000);
      lockOf(file, 0);
      await close();
      expect(readFileSync(`${file}.lock`, "utf8")).toBe(elsewhere);
    });
  });

  it.runIf(process.platform === "linux")("is free if another program now has the pid of the stale lock", async () => {
    const file = newFile();
    const other = spawn("sleep", ["60"]);
    writeFileSync(`${file}.lock`, await formatLock(other.pid));
    const taken = await openWorld(file);
    await taken.close();
    // Of the program itself: the lock stays, and the message names both.
    const stat = readFileSync(`/proc/${other.pid}/stat`, "latin1");
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    writeFileSync(`${file}.lock`, await formatLock(other.pid, started));
    await expect(openWorld(file)).rejects.toThrow(`is in use by process ${other.pid} (${file}.lock)`);
    expect(existsSync(`${file}.lock`)).toBe(true);
    other.kill();
  });

  it("is not changed while another process replaces a stale lock", async () => {
    const file = newFile();
    const dead = runChild(bundle, "exit", newFile());
    await once(dead, "exit");
    writeFileSync(`${file}.lock`, await formatLock(dead.pid));
    writeFileSync(`${file}.lock.takeover`, await formatLock(dead.pid));
    await expect(openWorld(file)).rejects.toThrow(`is in use by process ${dead.pid} (${file}.lock.takeover)`);
    expect(readFileSync(`${file}.lock`, "utf8")).toBe(await formatLock(dead.pid));
  });
});

describe("a write that the system rejects", () => {
  it("leaves the log unchanged, and later writes that fit are stored", async () => {
    const file = newFile();
    const { stored, message } = JSON.parse((await readOutput(runChild(bundle, "fill", file, 64)))[0] ?? "null");
    expect(message).toMatch(/^StoreError: Cannot write .*the change was not kept: the system lets no file grow/);
    expect(stored).toBeGreaterThan(10);
    const { state, warnings } = await readFile(file);
    expect(things(state)).toEqual(["small", ...Array.from({ length: stored }, (_, i) => `t${i}`)]);
    expect(warnings).toEqual([]);
  });
});

describe.each(["os", "fsync"])("a killed process with the durability %s", (durability) => {
  it("has lost no confirmed change, and its numbers continue", { timeout: 600_000 }, async () => {
    const file = newFile();
    let [last, lastSeq, compactions] = [-1, 0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = runChild(bundle, "race", file, { DURABILITY: durability });
      const output = readOutput(child);
      const gone = once(child, "exit");
      let printed = "";
      child.stdout.on("data", (piece) => (printed += piece));
      // Every second round runs until the log was compacted; a delay from 0 to 96 ms follows each.
      const least = round % 2 === 0 ? 1 : 2 * WINDOW;
      await vi.waitFor(() => expect(printed.split("\n").length).toBeGreaterThan(least), {
        timeout: 60_000,
        interval: 1,
      });
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 97));
      child.kill("SIGKILL");
      await gone;
      const acknowledged = (await output).map((line) => line.split(" ").map(Number) as [number, number]);
      const seqs = acknowledged.map(([, seq]) => seq);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(seqs[0] ?? Number.POSITIVE_INFINITY).toBeGreaterThan(lastSeq);
      lastSeq = seqs.at(-1) ?? lastSeq;
      last = Math.max(last, ...acknowledged.map(([id]) => id));
      const { state, last: recovered } = await readFile(file);
      expect(recovered).toBeGreaterThanOrEqual(lastSeq);
      const ids = things(state).map(Number);
      const top = ids.at(-1) ?? -1;
      // The very last change may be there without its acknowledgement; nothing else may differ.
      expect([last, last + 1]).toContain(top);
      const first = Math.max(0, top - WINDOW + 1);
      expect(ids).toEqual(Array.from({ length: top - first + 1 }, (_, i) => first + i));
      // Twice the bound, and what was written during a compaction, which is more on a slow disk.
      expect(statSync(`${file}.log`).size).toBeLessThan(8 * 1024 * 1024);
      if (readFileSync(`${file}.log`, "utf8").includes('","snapshot":')) compactions += 1;
    }
    expect([last > WINDOW, compactions > 0]).toEqual([true, true]);
  });
});
