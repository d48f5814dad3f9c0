// Says what is in the published package, and whether anything of it is known to be unsafe: a bill of materials of what users install,
// another of all that is bundled into it, both in a temporary folder and neither of them empty; and what the registry knows of them.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./changed.mjs";

const folder = mkdtempSync(join(tmpdir(), "contents-"));
const project = join(folder, "project");
const run = (program, args, cwd) =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 26 });
const must = (holds, sentence) => {
  if (!holds) throw new Error(sentence);
};

/** What a user installs, as npm sees it. */
function installed() {
  mkdirSync(project);
  const packed = run("npm", ["pack", "--json", "--silent", "--ignore-scripts", "--pack-destination", folder], root);
  const [{ filename }] = JSON.parse(packed.replace(/^[^[]*/, ""));
  writeFileSync(join(project, "package.json"), '{ "name": "user", "version": "1.0.0", "private": true }\n');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, filename)], project);
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
  const found = [...text.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+)@(\d[\w.+-]*) \(([^\n]+)\)$/gm)];
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

/** Advisories against all of it, the bundled packages included: npm is asked about a project that depends on each of them. */
function advisories(components) {
  const asked = join(folder, "asked");
  mkdirSync(asked);
  const packages = { "": { name: "asked", version: "1.0.0" } };
  for (const { name, version } of components) packages[`node_modules/${name}`] ??= { version };
  const lock = { name: "asked", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
  const dependencies = Object.fromEntries(components.map(({ name, version }) => [name, version]));
  packages[""].dependencies = dependencies;
  writeFileSync(join(asked, "package.json"), JSON.stringify({ name: "asked", version: "1.0.0", dependencies }));
  writeFileSync(join(asked, "package-lock.json"), JSON.stringify(lock));
  const { stdout } = spawnSync("npm", ["audit", "--json", "--package-lock-only"], { cwd: asked, encoding: "utf8" });
  const said = JSON.parse(stdout || "{}");
  if (!said.metadata?.vulnerabilities) return undefined;
  return Object.values(said.vulnerabilities ?? {}).map(({ name, severity }) => `${name} (${severity})`);
}

try {
  const [users, inside] = [installed(), bundled()];
  console.log(
    `ok      bill of materials: ${users.length} package(s) installed, ${inside.length} bundled, in ${folder}`,
  );
  const known = advisories(inside);
  if (known === undefined)
    console.log("skipped advisories: this registry does not answer `npm audit`, so nothing is known");
  else if (known.length === 0) console.log("ok      advisories: none known against what users install");
  else {
    console.log(`FAILED  advisories: ${known.join(", ")}`);
    process.exitCode = 1;
  }
} catch (error) {
  console.log(`FAILED  the contents of the package: ${error.message}`);
  process.exitCode = 1;
}
