// Two releases of Node on one line share V8's tag, and V8 takes code that another release has compiled, or bytes that were damaged since:
// every command then ended in a segmentation fault, without a word, until somebody deleted the file.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { bin, startProgram } from "../cli/run-sandbox.ts";

/** A copy of the package, whose compiled code nobody else reads. */
const home = mkdtempSync(join(tmpdir(), "compiled-"));
const ownBin = join(home, "bin/sandbox.js");
const dist = join(home, "dist");
const retained = () => readdirSync(dist).filter((name) => /^\.cli-.*\.cache$/.test(name));
let file = "";
let whole: Buffer;

beforeAll(async () => {
  for (const name of ["bin", "dist", "fixtures", "package.json"])
    cpSync(join(dirname(bin), "..", name), join(home, name), { recursive: true });
  for (const name of retained()) rmSync(join(dist, name));
  const server = startProgram(process.execPath, [ownBin, "start", "--memory", "--port", "0", "--quiet"]);
  await vi.waitFor(() => expect(retained()).toHaveLength(1), { timeout: 30_000 });
  server.child.kill("SIGTERM");
  await server.ended;
  file = join(dist, retained()[0] ?? "");
  whole = readFileSync(file);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const flipped = (part: number) => () => {
  const bytes = Buffer.from(whole);
  const at = Math.floor(bytes.length * part);
  bytes.fill(0xa5, at, at + 64);
  return bytes;
};

it("is kept for this release of Node, on this system and processor, and for no other", () => {
  for (const part of [process.version, process.platform, process.arch]) expect(file.split("-")).toContain(part);
});

const DAMAGED: readonly [string, () => Buffer][] = [
  ["whole", () => whole],
  ["empty", () => Buffer.alloc(0)],
  ["cut in its first bytes", () => whole.subarray(0, 6)],
  ["cut in the middle", () => whole.subarray(0, whole.length / 2)],
  ["without its last byte", () => whole.subarray(0, -1)],
  ["all zeros", () => Buffer.alloc(whole.length)],
  ["without its checksums", () => whole.subarray(8)],
  ...[0.0001, 0.3, 0.6, 0.9].map((part): [string, () => Buffer] => [`damaged at ${part}`, flipped(part)]),
];
it.each(DAMAGED)("A start with compiled code that is %s", (_, bytes) => {
  writeFileSync(file, bytes());
  expect(execFileSync(process.execPath, [ownBin, "--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it("A start whose compiled code can't be read", () => {
  rmSync(file);
  mkdirSync(file);
  expect(execFileSync(process.execPath, [ownBin, "--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
  rmSync(file, { recursive: true });
});

it("A start with the compiled code of another program", () => {
  writeFileSync(file, whole);
  const program = join(dist, "cli.cjs");
  const text = readFileSync(program, "utf8");
  // As long as the other, which is all that V8 compares.
  const other = `process.stdout.write("another"); process.exit(0);`;
  writeFileSync(program, other.padEnd(Buffer.byteLength(text), " "));
  expect(execFileSync(process.execPath, [ownBin, "--version"], { encoding: "utf8" })).toBe("another");
});
