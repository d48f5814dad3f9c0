// Writes the library's declarations: only what is reachable from its entry files, once for import and once for require.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { promisify } from "node:util";
import { root } from "./changed.mjs";

/** The three forms in declarations: `from "…"`, `import("…")` and `import "…"`. */
const SPECIFIER = /(from\s+|import\s*\(\s*|import\s+)(["'])([^"']+)\2/g;

/** What users import, and the packages that they have when they do. */
const ENTRIES = [
  "index",
  "library/runners/vitest",
  "library/runners/jest",
  "library/runners/node-test",
  "library/redirect/index",
];
const OF_USERS = ["vitest"];

/** The folder of each module format in dist/, and its package.json. The declarations are the same. */
const FLAVOURS = { types: "module", "types-cjs": "commonjs" };

/** Returns the number of files of one flavour. */
export async function writeDeclarations(dist) {
  const folder = mkdtempSync(join(tmpdir(), "types-"));
  try {
    await emit(folder);
    const texts = reachable(folder, ENTRIES);
    for (const [flavour, type] of Object.entries(FLAVOURS)) {
      for (const [name, text] of texts) put(join(dist, flavour, `${name}.d.ts`), text);
      put(join(dist, flavour, "package.json"), `{ "type": "${type}" }\n`);
    }
    return texts.size;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function emit(folder) {
  const tsc = join(root, "node_modules/typescript/lib/tsc.js");
  const project = join(folder, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    // `npm run check` checks the types; checking them here again is most of a build.
    noCheck: true,
    noEmitOnError: false,
    outDir: folder,
    rootDir: root,
    typeRoots: [join(root, "node_modules/@types")],
  };
  const files = [...ENTRIES.map((name) => `${name}.ts`), "library/runners/jest-globals.d.ts"].map((name) =>
    join(root, "src", name),
  );
  writeFileSync(project, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }));
  try {
    await promisify(execFile)(process.execPath, [tsc, "-p", project], { cwd: root });
  } catch (error) {
    throw new Error(`The library's declarations cannot be written:\n${error.stdout || error.message}`);
  }
}

/** Follows relative imports; refuses a package that users need not have. */
function reachable(folder, entries) {
  const texts = new Map();
  const visit = (name) => {
    if (texts.has(name)) return;
    // Generated types are all types, and are shipped as they are.
    const from = /^contract\/generated\//.test(name)
      ? join(root, "src", `${name}.ts`)
      : join(folder, "src", `${name}.d.ts`);
    const found = [];
    const direct = bypassEntryPoints(folder, name, readFileSync(from, "utf8"));
    const text = direct.replace(SPECIFIER, (_all, before, quote, specifier) => {
      if (specifier.startsWith("node:") || OF_USERS.includes(specifier)) return `${before}${quote}${specifier}${quote}`;
      if (!specifier.startsWith("."))
        throw new Error(`src/${name}.ts uses ${specifier} in the library's types; users do not install it.`);
      found.push(posix.join(posix.dirname(name), specifier.replace(/\.(ts|js)$/, "")));
      return `${before}${quote}${specifier.replace(/\.ts$/, ".js")}${quote}`;
    });
    texts.set(name, text);
    found.forEach(visit);
  };
  entries.forEach(visit);
  return texts;
}

/**
 * Imports each name from the file that declares it. The entry point of a module would bring the declarations of the whole module along.
 */
function bypassEntryPoints(folder, name, text) {
  const importFromEntry = /(import|export)( type)? \{([^}]*)\} from "([^"]*\/index\.ts)";/g;
  return text.replace(importFromEntry, (_all, keyword, type = "", names, specifier) => {
    const entry = posix.join(posix.dirname(name), specifier);
    const sources = readReexports(join(folder, "src", entry.replace(/\.ts$/, ".d.ts")));
    const statements = names.split(",").map((each) => {
      const source = sources.get(
        each
          .trim()
          .replace(/^type /, "")
          .split(" as ")[0],
      );
      const target = source ? posix.join(posix.dirname(entry), source) : entry;
      return `${keyword}${type} { ${each.trim()} } from "./${posix.relative(posix.dirname(name), target)}";`;
    });
    return statements.join("\n");
  });
}

/** Maps each name that an entry point exports from another file to that file. */
function readReexports(path) {
  const sources = new Map();
  for (const [, names, source] of readFileSync(path, "utf8").matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)";/g))
    for (const each of names.split(",")) sources.set(each.trim().replace(/^type /, ""), source);
  return sources;
}

function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
