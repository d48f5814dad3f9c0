// Proves what a user gets: packs the project, installs the tarball in an empty folder, starts it from there by both names,
// sends it a request, stops it; imports and requires the library, and type-checks a program that uses it.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pack } from "../../src/build/pack.mjs";
import { root } from "../../src/build/step.mjs";

/** The largest size of the installed package. */
const MOST_MEGABYTES = 25;
const MOST_PACKAGES = 80;
const PATIENCE = 20_000;

const folder = mkdtempSync(join(tmpdir(), "tarball-"));
const project = join(folder, "project");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const run = (program, args, cwd = project) =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const must = (holds, sentence) => {
  if (!holds) throw new Error(sentence);
};

async function install() {
  const tarball = await pack(folder);
  writeFileSync(
    join(project, "package.json"),
    '{ "name": "empty", "version": "1.0.0", "private": true, "type": "module" }\n',
  );
  // The package has no dependencies, so npm must not contact a registry.
  const words = ["install", "--offline", "--no-audit", "--no-fund", tarball];
  const { status, stderr } = spawnSync("npm", words, { cwd: project, env: withoutNpm(), encoding: "utf8" });
  must(status === 0, `npm install ends with ${status}: ${stderr}`);
  warnings = stderr.trim();
}

let warnings = "";

/** The settings of the checkout, and of the npm that runs this script, are no user's. */
function withoutNpm() {
  const foreign = ([name]) => !/^npm_/i.test(name);
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(foreign)),
    npm_config_userconfig: "/dev/null",
    npm_config_update_notifier: "false",
  };
}

function installsQuietly() {
  must(warnings === "", `npm install says: ${warnings}`);
  return `npm ${run("npm", ["--version"]).trim()} has nothing to say`;
}

/** What only a checkout needs would make npm warn, or mislead. */
function hasNoMoreThanUsersNeed() {
  const manifest = JSON.parse(readFileSync(join(project, "node_modules/experience-sandbox/package.json"), "utf8"));
  const known = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const missing = Object.keys(known).filter((member) => !(member in manifest));
  const wanted = ["allowScripts", "devDependencies", "overrides", "scripts"];
  must(
    missing.sort().join() === wanted.join(),
    `The packed manifest lacks ${missing.join(", ")}; wanted are ${wanted.join(", ")}.`,
  );
  return "without scripts and development dependencies";
}

const megabytes = (path) => {
  if (lstatSync(path).isSymbolicLink()) return 0;
  if (!lstatSync(path).isDirectory()) return lstatSync(path).size / 1e6;
  return readdirSync(path).reduce((sum, name) => sum + megabytes(join(path, name)), 0);
};

function isLight() {
  const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8"));
  const count = Object.keys(packages).length - 1;
  const size = megabytes(join(project, "node_modules"));
  must(
    size <= MOST_MEGABYTES,
    `The installed package is ${size.toFixed(1)} MB; at most ${MOST_MEGABYTES} are promised.`,
  );
  must(count <= MOST_PACKAGES, `The installation has ${count} packages; at most ${MOST_PACKAGES} are promised.`);
  must(
    Object.values(packages).every((each) => !each.hasInstallScript),
    "The installation runs an install script; none is promised.",
  );
  return `${size.toFixed(1)} MB, ${count} package(s)`;
}

function saysItsVersion() {
  for (const name of ["sandbox", "experience-sandbox"]) {
    const message = run("npx", ["--no", "--", name, "--version"]).trim();
    must(message === version, `npx ${name} --version says "${message}"; the package is ${version}.`);
  }
  return version;
}

async function serves() {
  const child = spawn("npx", ["--no", "--", "experience-sandbox", "start", "--memory", "--port", "0", "--json"], {
    cwd: project,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    const { url } = JSON.parse(await within(firstLine(child), "The started sandbox prints no JSON line"));
    const answer = await fetch(`${url}/healthz`);
    must(answer.status === 200, `GET /healthz answers ${answer.status}.`);
    process.kill(-child.pid, "SIGTERM");
    await within(ended, "The sandbox does not stop at SIGTERM");
    return `${url}/healthz answers 200, then it stops`;
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL");
  }
}

const firstLine = (child) =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`The sandbox ended with code ${code} before it was ready.`)));
  });

const within = (promise, sentence) =>
  Promise.race([
    promise,
    new Promise((_, reject) =>
      setTimeout(() => reject(new Error(`${sentence} within ${PATIENCE / 1000} s.`)), PATIENCE).unref(),
    ),
  ]);

function isALibrary() {
  const use = "startSandbox().then(async (sandbox) => { console.log(typeof sandbox.url); await sandbox.close(); });\n";
  writeFileSync(join(project, "use.mjs"), `import { startSandbox } from "experience-sandbox";\n${use}`);
  writeFileSync(join(project, "use.cjs"), `const { startSandbox } = require("experience-sandbox");\n${use}`);
  for (const file of ["use.mjs", "use.cjs"]) {
    const message = run(process.execPath, [file]).trim();
    must(message === "string", `${file} prints "${message}": startSandbox gives no url, or writes to the console.`);
  }
  return "import and require";
}

function isTyped() {
  // The checkout's compiler and Node types replace the user's.
  for (const name of ["@types/node", "undici-types"])
    cpSync(join(root, "node_modules", name), join(project, "node_modules", name), { recursive: true });
  const use =
    'import { startSandbox } from "experience-sandbox";\nexport const url: Promise<string> = startSandbox().then((sandbox) => sandbox.url);\n';
  for (const extension of ["mts", "cts"]) writeFileSync(join(project, `use.${extension}`), use);
  compile(["--module", "nodenext", "use.mts", "use.cts"]);
  return "typed for import and require";
}

function compile(words) {
  const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2023", "--types", "node", ...words];
  run(process.execPath, [join(root, "node_modules/typescript/lib/tsc.js"), ...options]);
}

/** Resolution → the modules that compilers write with it. */
const RESOLUTIONS = { node10: "commonjs", node16: "node16", nodenext: "nodenext", bundler: "esnext" };

/** Each subpath of the package has types, and they say something. */
function hasTypedSubpaths() {
  const { name, exports } = JSON.parse(
    readFileSync(join(project, "node_modules/experience-sandbox/package.json"), "utf8"),
  );
  const paths = Object.keys(exports).filter((path) => !/\*|package\.json/.test(path));
  const probes = paths.map(
    (path, nth) =>
      `import type * as made${nth} from "${name}${path.slice(1)}";\nexport const is${nth}: 0 extends 1 & typeof made${nth} ? never : true = true;\n`,
  );
  writeFileSync(join(project, "subpaths.ts"), probes.join(""));
  // The runners' own types are those of the user's runner, which this project has not.
  for (const [resolution, module] of Object.entries(RESOLUTIONS))
    compile(["--skipLibCheck", "--module", module, "--moduleResolution", resolution, "subpaths.ts"]);
  return `${paths.join(" ")} under ${Object.keys(RESOLUTIONS).join(", ")}`;
}

const PROOFS = {
  "installs without a warning": installsQuietly,
  "has a manifest for users": hasNoMoreThanUsersNeed,
  "is light": isLight,
  "says its version by both names": saysItsVersion,
  serves,
  "is a library": isALibrary,
  "is typed": isTyped,
  "has typed subpaths": hasTypedSubpaths,
};

let passed = 0;
let failed = 0;
try {
  mkdirSync(project);
  must(existsSync(join(root, "dist/cli.cjs")), "dist/cli.cjs does not exist: run `npm run build` first.");
  await install();
  for (const [name, proof] of Object.entries(PROOFS)) {
    try {
      console.log(`ok      the installed tarball ${name}: ${await proof()}`);
      passed++;
    } catch (error) {
      console.log(`FAILED  the installed tarball ${name}: ${error.message}`);
      failed++;
    }
  }
} catch (error) {
  console.log(`FAILED  the tarball cannot be packed and installed: ${error.message}`);
  failed++;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`tarball: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
