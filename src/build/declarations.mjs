// Writes the library's declarations: only what is reachable from its entry files, once for import and once for require.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { promisify } from "node:util";
import { root } from "./step.mjs";

/** The three forms in declarations: `from "…"`, `import("…")` and `import "…"`. */
const SPECIFIER = /(from\s+|import\s*\(\s*|import\s+)(["'])([^"']+)\2/g;

/** The modules that users import, and the packages that they have installed then. */
const ENTRIES = [
  "index",
  "library/runners/vitest",
  "library/runners/jest",
  "library/runners/node-test",
  "library/redirect/index",
];
const USER_PACKAGES = ["vitest"];

/** The folder of each module format in dist/, and its package.json. The declarations are the same. */
const FLAVOURS = { types: "module", "types-cjs": "commonjs" };

/** Returns the number of declaration files of one module format. */
export async function writeDeclarations(dist) {
  const folder = mkdtempSync(join(tmpdir(), "types-"));
  try {
    await emitDeclarations(folder);
    const texts = collectReachable(folder, ENTRIES);
    for (const [flavour, type] of Object.entries(FLAVOURS)) {
      for (const [name, text] of texts) writeDeclaration(join(dist, flavour, `${name}.d.ts`), text);
      writeDeclaration(join(dist, flavour, "package.json"), `{ "type": "${type}" }\n`);
    }
    return texts.size;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function emitDeclarations(folder) {
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
    throw new Error(`The compiler failed to write the declarations of the library:\n${error.stdout || error.message}`);
  }
}

/** Follows relative imports. Throws if a declaration imports a package that users need not install. */
function collectReachable(folder, entries) {
  const texts = new Map();
  const visit = (name) => {
    if (texts.has(name)) return;
    // Generated files contain only types, so the package contains their source.
    const path = /^contract\/generated\//.test(name)
      ? join(root, "src", `${name}.ts`)
      : join(folder, "src", `${name}.d.ts`);
    const imports = [];
    const direct = replaceEntryPoints(folder, name, readFileSync(path, "utf8"));
    const text = direct.replace(SPECIFIER, (_all, before, quote, specifier) => {
      if (specifier.startsWith("node:") || USER_PACKAGES.includes(specifier))
        return `${before}${quote}${specifier}${quote}`;
      if (!specifier.startsWith("."))
        throw new Error(
          `src/${name}.ts imports ${specifier} in the types of the library, but users do not install that package.`,
        );
      imports.push(posix.join(posix.dirname(name), specifier.replace(/\.(ts|js)$/, "")));
      return `${before}${quote}${specifier.replace(/\.ts$/, ".js")}${quote}`;
    });
    texts.set(name, text);
    imports.forEach(visit);
  };
  entries.forEach(visit);
  return texts;
}

/** Imports each name from its own file, because the entry point of a module would include the declarations of the whole module. */
function replaceEntryPoints(folder, name, text) {
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

function writeDeclaration(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
