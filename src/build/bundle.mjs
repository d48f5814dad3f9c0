// Makes dist/: the terminal's and the importer's door, each one file that needs nothing installed; faker as a file of
// its own that is read only when somebody populates; declarations; the licences of all that is inside.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { alone } from "./alone.mjs";
import { filesUnder, fingerprint, isFresh, root, say, writeWhole } from "./changed.mjs";
import { writeDeclarations } from "./declarations.mjs";
import { collectLicences } from "./licences.mjs";
import { playFixtures } from "./play.mjs";
import { keepCompiled } from "./warm.mjs";

const dist = join(root, "dist");
const stamp = join(dist, ".inputs");

/** Source → file in dist/. */
const DOORS = { "src/cli/index.ts": "cli.cjs", "src/index.ts": "index.cjs" };

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  metafile: true,
  write: false,
  legalComments: "none",
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the line that threw: it must be one that a terminal can hold.
  lineLimit: 160,
  keepNames: true,
  // A dynamic import becomes a late require of what is already in the file.
  supported: { "dynamic-import": false },
  // jsonc-parser's main file hides its requires from a bundler.
  alias: { "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js" },
  define: { "import.meta.url": "moduleUrl" },
  banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
  logLevel: "silent",
};

/** "@faker-js/faker/locale/en" → "faker-locale-en.cjs", built once and required beside the door that wants it. */
const asideName = (specifier) => `${specifier.replace(/^@faker-js\//, "").replaceAll("/", "-")}.cjs`;

const fakerAside = (specifiers) => ({
  name: "faker-aside",
  setup(builder) {
    builder.onResolve({ filter: /^@faker-js\/faker/ }, ({ path }) => {
      specifiers.add(path);
      return { path: `./${asideName(path)}`, external: true };
    });
  },
});

/** Large JSON is parsed as JSON, which V8 does faster than reading it as a program. */
const jsonAsText = {
  name: "json-as-text",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]src[\\/]generated[\\/].*\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.stringify(JSON.parse(readFileSync(path, "utf8"))));
      return { contents: `module.exports = JSON.parse(${text});`, loader: "js" };
    });
  },
};

/** How the program is bundled, for whoever measures it with more around it. */
export const bundling = { ...COMMON, plugins: [jsonAsText] };

async function bundled(options) {
  try {
    return await build({ ...COMMON, ...options });
  } catch (error) {
    const lines = (error.errors ?? []).map(
      ({ text, location: at }) => `  ${at ? `${at.file}:${at.line}: ` : ""}${text}`,
    );
    throw new Error(`The bundle cannot be made:\n${lines.join("\n") || error.message}`);
  }
}

/** Answers whether there was anything to do. */
export const buildBundle = () => alone("bundle", makeBundle);

async function makeBundle() {
  const doors = Object.entries(DOORS).filter(([source]) => existsSync(join(root, source)));
  const outputs = doors.map(([, file]) => join(dist, file));
  const mark = fingerprint(filesUnder("src", "fixtures", "tsconfig.json", "package.json", "package-lock.json"));
  if (isFresh(stamp, mark, outputs)) return false;
  for (const source of Object.keys(DOORS))
    if (!existsSync(join(root, source))) say(`bundle: ${source} does not exist; left out`);

  const specifiers = new Set();
  const made = await Promise.all(
    doors.map(([source, file]) =>
      bundled({ entryPoints: [source], outfile: `dist/${file}`, plugins: [fakerAside(specifiers), jsonAsText] }),
    ),
  );
  for (const specifier of specifiers) {
    const contents = `module.exports = require(${JSON.stringify(specifier)});`;
    const stdin = { contents, resolveDir: root, sourcefile: asideName(specifier) };
    made.push(await bundled({ stdin, outfile: `dist/${asideName(specifier)}`, banner: {} }));
  }
  const licences = collectLicences(made.map((each) => each.metafile));

  mkdirSync(dist, { recursive: true });
  rmSync(stamp, { force: true });
  for (const name of readdirSync(dist)) if (name.endsWith(".cache")) rmSync(join(dist, name), { force: true });
  for (const { path, text } of made.flatMap((each) => each.outputFiles)) writeWhole(path, text);
  writeWhole(join(dist, "THIRD-PARTY-LICENSES.txt"), licences.text);
  const typed = existsSync(join(root, "src/index.ts")) ? await writeLibrary() : 0;
  await playFixtures();
  writeWhole(stamp, mark);
  const sizes = made
    .flatMap((each) => each.outputFiles)
    .map(({ path, text }) => `${basename(path)} ${(text.length / 1e6).toFixed(1)} MB`);
  say(`bundle: ${sizes.join(", ")}; ${licences.count} packages inside, ${typed} declaration files`);
  return true;
}

/** The ESM door only names again what the CommonJS one exports, so that both hold the same objects. */
async function writeLibrary() {
  const names = Object.keys(createRequire(import.meta.url)(join(dist, "index.cjs")));
  const lines = names.map((name) => `export const ${name} = library.${name};`);
  writeWhole(join(dist, "index.mjs"), `import library from "./index.cjs";\n${lines.join("\n")}\n`);
  for (const flavour of ["types", "types-cjs"]) rmSync(join(dist, flavour), { recursive: true, force: true });
  return writeDeclarations(dist);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const build = async () => {
    const did = await buildBundle();
    await keepCompiled();
    return did;
  };
  build().then(
    (did) => did || say("bundle: nothing changed"),
    (error) => {
      say(error.message);
      process.exitCode = 1;
    },
  );
}
