// Proves that the library serves each kind of suite: packs the project, and installs it with the suite's own runner, from the
// registry, in a copy of each folder of test/examples/ (a vitest, a jest and a node:test suite that share the code under test,
// shop.cjs, and a program that is only type-checked, as a module and as CommonJS); then runs its `npm test`. Names as arguments
// choose among them.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "../../src/build/pack.mjs";
import { root } from "../../src/build/step.mjs";

const examples = join(root, "test/examples");
const folder = mkdtempSync(join(tmpdir(), "examples-"));

/** What npm says when there is no network. */
const UNREACHABLE = /npm (error|ERR!) code (ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)/;

/** The variables of a test runner around this script must not reach the runner of an example. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(SANDBOX_|VITEST|JEST_|NODE_TEST_CONTEXT|NODE_OPTIONS|npm_)/.test(name),
  ),
);

function run(program, args, cwd) {
  return execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function prove(name, tarball) {
  const project = join(folder, name);
  cpSync(join(examples, name), project, { recursive: true });
  cpSync(join(examples, "shop.cjs"), join(project, "shop.cjs"));
  const bulkWriter = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  run("npm", ["install", "--save-dev", ...bulkWriter, tarball], project);
  run("npm", ["test"], project);
  if ("failing" in JSON.parse(readFileSync(join(project, "package.json"), "utf8")).scripts) proveStory(project);
}

/** A failing test shows what happened in its world. */
function proveStory(project) {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "failing"], { cwd: project, env, encoding: "utf8" });
  if (status === 0 || !/What happened in the world of .*\n.*EVENT_NOT_FOUND/.test(stdout + stderr))
    throw new Error(`the failing test shows no story:\n${stdout}${stderr}`);
}

const known = readdirSync(examples)
  .filter((name) => name !== "shop.cjs")
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !known.includes(name));
let failed = 0;
try {
  if (unknown) throw new Error(`there is no example ${unknown}; there are ${known.join(", ")}.`);
  const tarball = await pack(folder);
  for (const name of wanted.length > 0 ? wanted : known) {
    const start = performance.now();
    try {
      prove(name, tarball);
      console.log(`ok      ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      const words = [error.stdout, error.stderr].filter(Boolean).join("\n") || error.message;
      if (UNREACHABLE.test(words)) {
        console.log(`WARNING ${name}: SKIPPED, the registry can't be reached. Run it where the network allows.`);
        continue;
      }
      console.log(`FAILED  ${name}\n${words.trim().replace(/^/gm, "        ")}`);
      failed++;
    }
  }
} catch (error) {
  console.log(`FAILED  the examples can't be run: ${error.message}`);
  failed++;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`examples: ${failed === 0 ? "all hold" : `${failed} failed`}`);
process.exit(failed > 0 ? 1 : 0);
