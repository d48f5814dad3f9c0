// What only other processes can show: one data file has one process, an answered write survives a kill, and a write that the
// system refuses leaves no trace.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openStore } from "../../../src/engine/world/store/store.ts";
import { codeOf, explain } from "../../../src/engine/world/store/store-error.ts";
import { extent } from "../../extent.ts";
import { bundleStore, firstLine, freshFolder, held, removeFolders, runChild, sayings } from "./store-kit.ts";

const ROUNDS = extent(6, 10, 40);
/** As in store-child.mjs. */
const WINDOW = 300;
let bundle = "";

beforeAll(() => {
  bundle = bundleStore();
});
afterAll(removeFolders);

const newFile = (): string => join(freshFolder(), "data.json");

describe("a data file", () => {
  it("is refused to a second process, with the pid of the first, and free again when the first is dead", async () => {
    const file = newFile();
    const child = runChild(bundle, "hold", file);
    const pid = await firstLine(child);
    await expect(openStore(file)).rejects.toThrow(`is in use by process ${pid} (`);
    await expect(openStore(file)).rejects.toThrow(/stop it, or use another `data` file, or no `data`/);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(`${file}.lock`)).toBe(true);
    const { store } = await openStore(file);
    await expect(openStore(file)).rejects.toThrow(/already open in this process/);
    expect(JSON.parse(readFileSync(`${file}.lock`, "utf8"))).toEqual({
      pid: process.pid,
      since: performance.timeOrigin,
      space: expect.any(String),
      ...(process.platform === "linux" ? { started: expect.stringMatching(/^\d+$/) } : {}),
    });
    await store.close();
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it("is free when its process has just exited, or had our own pid", async () => {
    const file = newFile();
    await sayings(runChild(bundle, "exit", file));
    expect(existsSync(`${file}.lock`)).toBe(false);
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.pid }));
    await held(file);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it("is refused to another thread of its process, and free again when that has ended", async () => {
    const file = newFile();
    const code = `import(${JSON.stringify(bundle)}).then(async ({ openStore }) => {
      const { store } = await openStore(${JSON.stringify(file)});
      const { parentPort } = require("node:worker_threads");
      parentPort.once("message", () => store.close()).postMessage("open");
    })`;
    const thread = new Worker(code, { eval: true });
    await once(thread, "message");
    await expect(openStore(file)).rejects.toThrow(`${file} is already open in this process`);
    thread.postMessage("close");
    await once(thread, "exit");
    await held(file);
  });

  it("is opened as a new one, and its dead lock taken over, where errors of the system are of another realm", () => {
    const absent = runInNewContext(`Object.assign(new Error("no such file"), { code: "ENOENT" })`);
    expect([absent instanceof Error, codeOf(absent)]).toEqual([false, "ENOENT"]);
    expect(explain("Cannot read x", absent).message).toMatch(/^Cannot read x: the file or its folder is gone/);
  });

  it("goes to exactly one of many who find a dead lock together", async () => {
    const file = newFile();
    const dead = runChild(bundle, "exit", newFile());
    await once(dead, "exit");
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: dead.pid }));
    const takers = Array.from({ length: 6 }, () => runChild(bundle, "try", file));
    const message = await Promise.all(takers.map(firstLine));
    for (const taker of takers) taker.kill("SIGKILL");
    expect(message.filter((line) => line === "open")).toHaveLength(1);
    expect(message.filter((line) => /^refused: .*(is in use|is just being opened)/.test(line))).toHaveLength(5);
  });

  describe("that a process of another container has", () => {
    // Our own pid: in containers most processes have the pid 1.
    const elsewhere = JSON.stringify({ pid: process.pid, since: 1, space: "another" });
    const lockOf = (file: string, secondsAgo: number): string => {
      writeFileSync(`${file}.lock`, elsewhere);
      touch(`${file}.lock`, secondsAgo);
      return `${file}.lock`;
    };
    const touch = (lock: string, secondsAgo: number) => {
      const at = Date.now() / 1000 - secondsAgo;
      utimesSync(lock, at, at);
    };

    it("is refused while that touches its lock, and the lock stays", async () => {
      const file = newFile();
      const lock = lockOf(file, 5);
      const touching = setInterval(touch, 50, lock, 0);
      await expect(openStore(file)).rejects.toThrow(
        `is in use in another container or on another machine, by process ${process.pid} there (${lock})`,
      );
      clearInterval(touching);
      expect(readFileSync(lock, "utf8")).toBe(elsewhere);
    });

    it("is free at once where the lock has not been touched for a minute", async () => {
      const file = newFile();
      lockOf(file, 61);
      await held(file);
    });

    it("is touched by who has it, and not removed by who had it before", async () => {
      const file = newFile();
      const { store } = await openStore(file);
      touch(`${file}.lock`, 3600);
      await vi.waitFor(() => expect(Date.now() - statSync(`${file}.lock`).mtimeMs).toBeLessThan(60_000), 30_000);
      lockOf(file, 0);
      await store.close();
      expect(readFileSync(`${file}.lock`, "utf8")).toBe(elsewhere);
    });
  });

  it.runIf(process.platform === "linux")("is free where another program has the pid of the dead lock now", async () => {
    const [file, own] = [newFile(), newFile()];
    const other = spawn("sleep", ["60"]);
    const { store } = await openStore(own);
    const { space } = JSON.parse(readFileSync(`${own}.lock`, "utf8"));
    await store.close();
    const lock = { pid: other.pid, since: 1, space, started: "1" };
    writeFileSync(`${file}.lock`, JSON.stringify(lock));
    const taken = await openStore(file);
    await taken.store.close();
    // Of the program itself: the lock stays, and the message names both.
    const stat = readFileSync(`/proc/${other.pid}/stat`, "latin1");
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    writeFileSync(`${file}.lock`, JSON.stringify({ ...lock, started }));
    await expect(openStore(file)).rejects.toThrow(`is in use by process ${other.pid} (${file}.lock)`);
    expect(existsSync(`${file}.lock`)).toBe(true);
    other.kill();
  });

  it("is left alone while somebody else takes a dead lock over", async () => {
    const file = newFile();
    const dead = runChild(bundle, "exit", newFile());
    await once(dead, "exit");
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: dead.pid }));
    writeFileSync(`${file}.lock.takeover`, JSON.stringify({ pid: dead.pid }));
    await expect(openStore(file)).rejects.toThrow(`just being opened by ${dead.pid}; if that is not so, delete`);
    expect(JSON.parse(readFileSync(`${file}.lock`, "utf8"))).toEqual({ pid: dead.pid });
  });
});

describe("a write that the system refuses", () => {
  it("leaves the journal as it was, and later ones that fit are kept", async () => {
    const file = newFile();
    const message = JSON.parse((await sayings(runChild(bundle, "fill", file, 64)))[0] ?? "null");
    expect(message.message).toMatch(
      /^StoreError: Cannot write .*the change was not kept: the system lets no file grow/,
    );
    expect(message.kept).toBeGreaterThan(20);
    const { kept, warnings } = await held(file);
    const ids = kept?.[0]?.[1][0]?.[1].map((row) => (row as { id: string }).id);
    expect(ids).toEqual([...Array.from({ length: message.kept }, (_, i) => `t${i}`), "small"]);
    expect(warnings).toEqual([]);
    expect(statSync(`${file}.journal.1`).size).toBeGreaterThan(message.size);
  });
});

describe("a killed process", () => {
  it("has lost nothing that it had acknowledged", { timeout: 600_000 }, async () => {
    const file = newFile();
    let last = -1;
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = runChild(bundle, "race", file);
      const all = sayings(child);
      const gone = once(child, "exit");
      let heard = "";
      child.stdout.on("data", (piece) => (heard += piece));
      // Every second round goes on for as many commits as fill the window twice in all; a delay from 0 to 96 ms follows each.
      const least = round % 2 === 0 ? 1 : (4 * WINDOW) / ROUNDS;
      await vi.waitFor(() => expect(heard.split("\n").length).toBeGreaterThan(least), { timeout: 60_000, interval: 1 });
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 97));
      child.kill("SIGKILL");
      await gone;
      const acknowledged = (await all).map(Number);
      last = Math.max(last, ...acknowledged);
      const { kept } = await held(file);
      const ids = kept?.[0]?.[1][0]?.[1].map((row) => Number((row as { id: string }).id)) ?? [];
      const top = ids.at(-1) ?? -1;
      // The very last commit may be there without its acknowledgement; nothing else may differ.
      expect([last, last + 1]).toContain(top);
      const first = Math.max(0, top - WINDOW + 1);
      expect(ids).toEqual(Array.from({ length: top - first + 1 }, (_, i) => first + i));
    }
    expect(last).toBeGreaterThan(WINDOW);
  });
});
