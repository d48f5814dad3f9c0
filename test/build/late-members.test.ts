// Long members of a large document stand in a file beside the program: they read the same, in the same order, and a file that is another's by
// then is said to be.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, it } from "vitest";
import { filesOfMembers, lateMembers } from "../../src/build/late-members.mjs";

const folder = mkdtempSync(join(tmpdir(), "late-members-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const long = (word: string) => ({ words: Array.from({ length: 300 }, () => word) });
const DOCUMENT = { first: long("first"), short: { is: "here" }, second: long("zweites, ø"), last: 1 };

it("reads long members when they are asked for", async () => {
  const generated = join(folder, "src/contract/generated");
  mkdirSync(generated, { recursive: true });
  writeFileSync(join(generated, "large.json"), JSON.stringify(DOCUMENT));
  writeFileSync(join(generated, "entry.js"), 'module.exports = require("./large.json");');
  const outfile = join(folder, "program.cjs");
  const plugins = [lateMembers("__dirname")];
  await build({ entryPoints: [join(generated, "entry.js")], outfile, bundle: true, platform: "node", plugins });
  const members = join(folder, "large.members");
  writeFileSync(members, filesOfMembers.get("large.members") ?? "");

  const program = createRequire(import.meta.url)(outfile);
  expect(Object.keys(program)).toEqual(Object.keys(DOCUMENT));
  expect(program.second).toEqual(DOCUMENT.second);
  writeFileSync(members, `["of another version"]\n${filesOfMembers.get("large.members")}`);
  expect(program.second).toEqual(DOCUMENT.second);
  expect(() => program.first).toThrow("large.members was replaced while this program ran. Start it again.");
});
