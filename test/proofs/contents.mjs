// Reports what is in the published package, and whether any of it is known to be unsafe: a bill of materials of what users install and
// another of the bundled packages, both in a temporary folder and not empty; whether each bundled package is the one that the lock file
// pins, under a permissive licence; how much a checkout brings; and the advisories and signatures of the registry.
import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPermissive } from "../../src/build/licences.mjs";
import { pack } from "../../src/build/pack.mjs";
import { root } from "../../src/build/step.mjs";

const folder = mkdtempSync(join(tmpdir(), "contents-"));
const project = join(folder, "project");
const run = (program, args, cwd) =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 26 });
const must = (holds, sentence) => {
  if (!holds) throw new Error(sentence);
};

/** What a user installs, as npm sees it. */
async function installed() {
  mkdirSync(project);
  const tarball = await pack(folder);
  writeFileSync(join(project, "package.json"), '{ "name": "user", "version": "1.0.0", "private": true }\n');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], project);
  const text = run("npm", ["sbom", "--sbom-format", "cyclonedx"], project);
  writeFileSync(join(folder, "installed.cdx.json"), text);
  const { components } = JSON.parse(text);
  must(
    components.some(({ name }) => name === "experience-sandbox"),
    "The bill of materials does not name the package itself.",
  );
  return components;
}

/** What is inside the bundle: the licences' file names each package with its version. */
function bundled() {
  const text = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  const found = [...text.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+)@(\d[\w.+-]*) \(([^\n]+?)\)$/gm)];
  const components = found.map(([, name, version, licence]) => ({
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: [{ expression: licence.replace(/^\((.*)\)$/, "$1") }],
  }));
  must(components.length > 20, `The licences name only ${components.length} bundled packages.`);
  const bill = { bomFormat: "CycloneDX", specVersion: "1.5", version: 1, components };
  writeFileSync(join(folder, "bundled.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
  return components;
}

/** The bundled packages are those that the lock file pins by their hashes, and nothing that it pins lacks one. */
function pinned(components) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const locked = Object.entries(packages).filter(([path]) => path.startsWith("node_modules/"));
  const loose = locked.filter(([, { integrity, link }]) => !integrity && !link).map(([path]) => path);
  must(loose.length === 0, `The lock file has no hash for ${loose.join(", ")}.`);
  const known = new Set(locked.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`));
  const strange = components.map(({ name, version }) => `${name}@${version}`).filter((each) => !known.has(each));
  must(strange.length === 0, `Bundled, but not in the lock file: ${strange.join(", ")}.`);
  const refused = components.filter(({ licenses: [{ expression }] }) => !isPermissive(expression));
  const names = refused.map(({ name, licenses: [{ expression }] }) => `${name} (${expression})`);
  must(refused.length === 0, `Bundled under a licence that is not on the permissive list: ${names.join(", ")}.`);
  return locked.length;
}

/** At most this much comes with `npm ci`, as `du -m` counts it. */
const MOST_PACKAGES = 420;
const MOST_MEGABYTES = 330;

function checkout() {
  const { packages } = JSON.parse(readFileSync(join(root, "node_modules/.package-lock.json"), "utf8"));
  const count = Object.keys(packages).filter((path) => path.startsWith("node_modules/")).length;
  must(count <= MOST_PACKAGES, `A checkout has ${count} packages; at most ${MOST_PACKAGES} are wanted.`);
  // What starts with a dot was written later: what the tests have compiled, for one.
  const names = readdirSync(join(root, "node_modules")).filter((name) => !name.startsWith("."));
  const seen = new Set();
  const blocks = names.reduce((sum, name) => sum + blocksOf(join(root, "node_modules", name), seen), 0);
  const size = Math.ceil(blocks / 2048);
  must(size <= MOST_MEGABYTES, `The packages of a checkout take ${size} MB; at most ${MOST_MEGABYTES} are wanted.`);
  return `${count} packages, ${size} MB`;
}

function blocksOf(path, seen) {
  const found = lstatSync(path);
  if (seen.has(found.ino)) return 0;
  seen.add(found.ino);
  const inside = found.isDirectory() ? readdirSync(path) : [];
  return inside.reduce((sum, name) => sum + blocksOf(join(path, name), seen), found.blocks);
}

/** Whether the registry has signed what is installed; undefined when it, or the keys to check with, can't be reached. */
function signatures() {
  const { stdout } = spawnSync("npm", ["audit", "signatures", "--json", "--fetch-retries=0"], {
    cwd: root,
    encoding: "utf8",
  });
  const { invalid, missing } = answerIn(stdout);
  if (!Array.isArray(invalid)) return undefined;
  return [...invalid, ...(missing ?? [])].map(({ name, version }) => `${name}@${version}`);
}

function answerIn(stdout) {
  try {
    return JSON.parse(stdout || "{}");
  } catch {
    return {};
  }
}

/** Advisories against all packages, also the bundled ones: npm audits a project that depends on each of them. */
function advisories(components) {
  const requested = join(folder, "asked");
  mkdirSync(requested);
  const packages = { "": { name: "asked", version: "1.0.0" } };
  for (const { name, version } of components) packages[`node_modules/${name}`] ??= { version };
  const lock = { name: "asked", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
  const dependencies = Object.fromEntries(components.map(({ name, version }) => [name, version]));
  packages[""].dependencies = dependencies;
  writeFileSync(join(requested, "package.json"), JSON.stringify({ name: "asked", version: "1.0.0", dependencies }));
  writeFileSync(join(requested, "package-lock.json"), JSON.stringify(lock));
  const { stdout } = spawnSync("npm", ["audit", "--json", "--package-lock-only", "--fetch-retries=0"], {
    cwd: requested,
    encoding: "utf8",
  });
  const message = answerIn(stdout);
  if (!message.metadata?.vulnerabilities) return undefined;
  return Object.values(message.vulnerabilities ?? {}).map(({ name, severity }) => `${name} (${severity})`);
}

/** `found`: the problems; undefined when the registry could not be reached, which is not a failure but must be visible. */
function judged(what, found, whyNot) {
  if (found === undefined)
    return console.log(`WARNING ${what}: NOT CHECKED, ${whyNot}. Run it where the network allows.`);
  console.log(found.length === 0 ? `ok      ${what}: nothing found` : `FAILED  ${what}: ${found.join(", ")}`);
  if (found.length > 0) process.exitCode = 1;
}

try {
  const [users, inside] = [await installed(), bundled()];
  console.log(
    `ok      bill of materials: ${users.length} package(s) installed, ${inside.length} bundled, in ${folder}`,
  );
  console.log(
    `ok      lock file: ${pinned(inside)} packages pinned by hash, the bundled ones under permissive licences`,
  );
  console.log(`ok      checkout: ${checkout()}`);
  judged("advisories against what is bundled", advisories(inside), "this registry does not answer `npm audit`");
  judged("signatures of what is installed", signatures(), "`npm audit signatures` has no answer here");
} catch (error) {
  console.log(`FAILED  the contents of the package: ${error.message}`);
  process.exitCode = 1;
}
