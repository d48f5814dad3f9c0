// A start and its first requests load only the modules that they need, because one import can make a start slow and large.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import nodeModule from "node:module";
import { basename, dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";
import { bin, startProgram } from "./run-sandbox.ts";

/** A copy of the package. */
const home = makeTempFolder();
const loaded = join(home, "loaded.json");
const start = (...flags: string[]) =>
  startProgram(process.execPath, [
    ...flags,
    join(home, "bin/sandbox.js"),
    "start",
    "--memory",
    "--clock",
    "2030-06-01T09:00:00Z",
    "--port",
    "0",
    "--json",
  ]);

/** Tells at the end which files and which modules of Node are loaded. */
const PROBE = `const fs = require("node:fs");
process.on("exit", () => {
  const modules = process.moduleLoadList.filter((name) => name.startsWith("NativeModule "));
  fs.writeFileSync(${JSON.stringify(loaded)}, JSON.stringify({ parts: Object.keys(require.cache), modules }));
});`;

beforeAll(() => {
  for (const name of ["bin", "dist", "fixtures", "package.json"])
    cpSync(join(dirname(bin), "..", name), join(home, name), { recursive: true });
  writeFileSync(join(home, "probe.cjs"), PROBE);
});

it("Measures a start, a token and a list of bookings", async () => {
  const server = start("--require", join(home, "probe.cjs"));
  const { url, client_id, client_secret } = JSON.parse(await server.shows("\n"));
  const body = new URLSearchParams({ grant_type: "client_credentials", audience: url, client_id, client_secret });
  const { access_token } = (await (await fetch(`${url}/oauth2/token`, { method: "POST", body })).json()) as {
    access_token: string;
  };
  const list = await fetch(`${url}/v1/bookings`, { headers: { authorization: `Bearer ${access_token}` } });
  expect(list.status).toBe(200);
  await server.stop();
  const { parts: files, modules } = JSON.parse(readFileSync(loaded, "utf8"));
  const parts = files.map((file: string) => basename(file)).filter((name: string) => name !== "probe.cjs");
  // Prism is loaded in the background once the server listens, for the first request that is rejected.
  const PRISM = "prism-http-dist-validator.cjs";
  expect(parts.filter((part: string) => part !== PRISM)).toEqual(["sandbox.js", "cli.cjs"]);
  const heavy = ["tls", "fs/promises"].map((name) => `NativeModule ${name}`);
  expect(modules.filter((name: string) => heavy.includes(name))).toEqual([]);
});

it.runIf("enableCompileCache" in nodeModule)("A command caches its compiled code for the next one", () => {
  const folder = join(home, "compiled");
  const env = { ...process.env, NODE_COMPILE_CACHE: folder };
  execFileSync(process.execPath, [join(home, "bin/sandbox.js"), "--version"], { env });
  expect(readdirSync(folder)).toHaveLength(1);
});
