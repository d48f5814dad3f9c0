// The shape of the program as tables: which building may import which, and who may import whom inside it; which file is
// the door of a library or an effect, and what a file looks like. A rule is a sentence, a reason, and the places that break it.
import { timedComparisons } from "./secrets.ts";
import type { SourceFile } from "./source.ts";

/** `others` import from the files, and stand under no rule themselves. */
type Broken = (files: readonly SourceFile[], others?: readonly SourceFile[]) => string[];
export type Rule = { sentence: string; because: string; broken: Broken };

/** Building, or file that joins buildings → whom it may import, by their doors. Each has a row; it may always import itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "platform/": [],
  "contract/": [],
  "engine/": ["contract/", "platform/"],
  "hosted/": ["contract/", "engine/", "platform/"],
  "client/": ["contract/", "platform/"],
  "stories/": ["client/", "contract/", "engine/", "platform/"],
  "verdict/": ["client/", "contract/", "engine/", "platform/", "stories/"],
  "console/": ["client/", "contract/", "platform/"],
  // The runners stand above the library and use its door.
  "library/": ["client/", "contract/", "engine/", "index.ts", "platform/", "stories/"],
  "mcp/": ["client/", "contract/", "engine/", "platform/", "verdict/"],
  "cli/": ["client/", "contract/", "engine/", "index.ts", "mcp/", "platform/", "sandbox.ts", "stories/", "verdict/"],
  "sandbox.ts": ["contract/", "engine/", "hosted/", "mcp/", "platform/", "stories/", "verdict/"],
  "index.ts": ["client/", "engine/", "library/", "platform/", "sandbox.ts"],
};

/**
 * These buildings are collections of small files that need no entry point: one that exports all of them would load all of them. The
 * entry point of the library is src/index.ts.
 */
const COLLECTIONS = ["platform/", "contract/", "client/", "library/"];

/** Modules that are one file. */
const ONE_FILE = /^(?:[^/]+|engine\/settings)\.ts$/;

/** Room of the engine, or of another building where it matters → the rooms beside it that it may import. */
const ROOMS: Record<string, readonly string[]> = {
  "engine/domain/": [],
  "engine/log/": ["engine/domain/", "engine/world/"],
  "engine/world/": ["engine/domain/", "engine/log/"],
  "engine/operations/": ["engine/domain/", "engine/world/"],
  "engine/acts/": ["engine/domain/", "engine/world/"],
  "engine/time/": ["engine/domain/", "engine/world/"],
  "engine/webhooks/": ["engine/domain/", "engine/world/"],
  "engine/fixtures/": ["engine/domain/", "engine/world/", "engine/operations/", "engine/acts/", "engine/time/"],
  "engine/app/": [
    "engine/domain/",
    "engine/log/",
    "engine/world/",
    "engine/time/",
    "engine/fixtures/",
    "engine/webhooks/",
  ],
  "engine/http/": ["engine/domain/", "engine/world/", "engine/app/", "engine/log/"],
  "engine/make/": ["engine/"],
  "engine/why/": ["engine/app/", "engine/domain/", "engine/http/", "engine/log/", "engine/world/"],
  "hosted/gate/": ["hosted/control/", "hosted/ownership/", "hosted/teams/"],
  "hosted/control/": ["hosted/ownership/", "hosted/teams/"],
  "hosted/ownership/": ["hosted/postgres/"],
  "hosted/teams/": ["hosted/ownership/", "hosted/postgres/"],
  "hosted/postgres/": ["hosted/teams/"],
  "hosted/traces/": [],
  "stories/recording/": [],
  "stories/scenario/": [],
  "stories/shrink/": ["stories/scenario/"],
  "contract/document/": [],
};

/** What is generated from the spec: its types serve everybody but the scenario player, its JSON only these. */
const GENERATED_JSON = ["engine/http/", "engine/why/", "engine/app/", "hosted/control/", "sandbox.ts"];
/** Small tables that are generated from `spec/`, and the files and folders that may import each. */
const GENERATED_TABLES: Record<string, readonly string[]> = {
  "contract/generated/errors.ts": ["engine/domain/kernel/domain-error.ts", "engine/why/domain-rules.ts"],
  "contract/generated/event-kinds.json": ["engine/domain/kernel/kinds.ts"],
  "contract/generated/fault-words.json": ["engine/domain/kernel/fault-words.ts"],
  "contract/generated/commands.json": ["cli/"],
  "contract/generated/removed-names.ts": ["cli/"],
  "contract/generated/fault-input.json": ["cli/", "mcp/"],
  "contract/generated/tools.json": ["mcp/"],
  "contract/generated/checks.ts": ["verdict/"],
  "contract/generated/profiles.json": ["verdict/profiles/"],
  "contract/generated/soak.ts": ["verdict/"],
};
const GENERATED_VALIDATORS = ["engine/http/", "engine/fixtures/", "engine/app/"];
/** It knows the sandbox by HTTP only. */
const NO_GENERATED_TYPES = ["stories/scenario/"];

/** Library → where it may be imported, and in how many files of a place at most. */
const LIBRARY_DOORS: Record<string, { places: readonly string[]; files?: number }> = {
  express: {
    places: ["engine/http/body.ts", "engine/http/pages/built-files.ts", "engine/http/sandbox-router.ts"],
  },
  cors: { places: ["engine/http/sandbox-router.ts"] },
  "@stoplight/prism-http": { places: ["engine/http/prism.ts"] },
  "@stoplight/types": { places: ["engine/http/", "sandbox.ts"] },
  ajv: {
    places: [
      "engine/http/",
      "engine/fixtures/",
      "engine/app/",
      "mcp/",
      "stories/scenario/",
      "verdict/profiles/",
      "verdict/traffic/",
    ],
  },
  "ajv-formats": { places: ["engine/http/", "engine/fixtures/", "stories/scenario/"] },
  "@opentelemetry/api": { places: ["hosted/traces/open-telemetry.ts"] },
  "@opentelemetry/exporter-trace-otlp-http": { places: ["hosted/traces/open-telemetry.ts"] },
  "@opentelemetry/resources": { places: ["hosted/traces/open-telemetry.ts"] },
  "@opentelemetry/sdk-trace-node": { places: ["hosted/traces/open-telemetry.ts"] },
  "prom-client": { places: ["engine/app/monitoring/"] },
  pg: { places: ["hosted/postgres/connection.ts"] },
  lowdb: { places: ["engine/log/"], files: 1 },
  "sorted-btree": { places: ["platform/sorted-map.ts"], files: 1 },
  "@faker-js/faker": { places: ["engine/fixtures/populate.ts"] },
  "fastest-levenshtein": { places: ["platform/nearest.ts", "engine/http/unknown-path.ts"] },
  "@modelcontextprotocol/sdk": { places: ["mcp/"] },
  minisearch: { places: ["mcp/tools/docs.ts"] },
  "openapi-fetch": { places: ["client/control.ts"] },
  preact: { places: ["console/"] },
  rapidoc: { places: ["console/reader/"] },
  buffer: { places: ["console/reader/buffer.ts"] },
  "@preact/signals": { places: ["console/"] },
  vitest: { places: ["library/runners/vitest.ts"] },
  "@jest/globals": { places: ["library/runners/jest.ts"] },
  "csv-parse": { places: ["cli/own-books.ts", "stories/scenario/rows.ts"] },
  re2js: { places: ["stories/scenario/match.ts"] },
  "node-forge": { places: ["cli/make-certificate.ts"] },
  commander: { places: ["cli/"] },
  "@bomb.sh/tab": { places: ["cli/commands/completion.ts"] },
  "string-width": { places: ["cli/terminal/terminal.ts"] },
  "cross-spawn": { places: ["cli/commands/exec.ts", "cli/launch.ts"] },
  yaml: { places: ["engine/http/served.ts", "platform/positions.ts"] },
  "currency-codes": { places: ["engine/domain/money/currency.ts"] },
  "temporal-polyfill": { places: ["engine/domain/kernel/instant.ts", "engine/domain/kernel/zone.ts"] },
};

/** What has no timers: rules, and what asks them. */
const PURE = ["engine/domain/", "engine/operations/", "engine/acts/"];
const WITH_TIMERS = [...Object.keys(MAY_IMPORT), ...Object.keys(ROOMS)].filter(
  (location) => location !== "engine/" && !PURE.includes(location),
);

/** Effect → its doors. */
const EFFECT_DOORS: Record<string, readonly string[]> = {
  // A lock is of the machine's time and of no world's.
  "Date.now": ["engine/time/clock.ts", "engine/log/lock.ts"],
  "new Date()": ["engine/time/clock.ts"],
  "Temporal.Now": ["engine/time/clock.ts"],
  "Math.random": [],
  "process.env": ["engine/settings.ts", "cli/", "library/remote-sandbox.ts", "stories/scenario/", "library/redirect/"],
  console: ["cli/", "library/runners/"],
  fetch: ["console/api.ts", "console/reader/", "library/redirect/", "platform/send-request.ts"],
  "http.request": ["library/redirect/"],
  "http.get": ["library/redirect/"],
  "https.request": ["library/redirect/"],
  "https.get": ["library/redirect/"],
  setTimeout: WITH_TIMERS,
  setInterval: WITH_TIMERS,
};

/** Named imports from Node that are effects too. */
const NODE_DOORS: { from: RegExp; names: readonly string[]; places: readonly string[] }[] = [
  {
    from: /^(node:)?https?$/,
    names: ["request", "get", "ClientRequest"],
    places: ["platform/send-request.ts", "hosted/gate/forward.ts"],
  },
  {
    from: /^(node:)?crypto$/,
    names: ["randomBytes", "randomUUID", "randomInt", "getRandomValues", "webcrypto"],
    // What nobody may guess: a challenge, and the mark of our own colours.
    places: ["sandbox.ts", "engine/make/random.ts", "cli/find-sandbox.ts", "cli/terminal/terminal.ts"],
  },
];

/** Where the engine is joined, and what leads to many parts of it; each other file declares the ports that it takes. */
const TAKES_ALL_PORTS: readonly string[] = [
  "engine/make/application.ts",
  "engine/http/app.ts",
  "engine/http/steps.ts",
  "engine/http/control/handler.ts",
  // Making and resetting a world touches all that belongs to it.
  "engine/http/control/worlds.ts",
];

/** What begins somewhere else: the package's doors, the pages, what the bundler puts in, and declarations of other packages. */
const IMPORTED_FROM_OUTSIDE: readonly string[] = [
  "index.ts",
  // index.ts exports all of its types.
  "library/types.ts",
  "library/runners/",
  "library/redirect/index.ts",
  "console/reader/openapi-parser/",
  "console/reader/buffer.ts",
  "cli/node-forge.d.ts",
  "engine/app/monitoring/prom-client.d.ts",
  "engine/domain/money/currency-codes.d.ts",
];

const NAMELESS = new Set("util utils helper helpers common misc manager managers service services impl".split(" "));

const isIn = (path: string, locations: readonly string[]): boolean =>
  locations.some((location) => (location.endsWith("/") ? path.startsWith(location) : path === location));

const buildingOf = (path: string): string => (path.includes("/") ? `${path.split("/")[0]}/` : path);
const roomOf = (path: string): string | undefined => Object.keys(ROOMS).find((room) => isIn(path, [room]));
const hasRooms = (building: string): boolean => Object.keys(ROOMS).some((room) => room.startsWith(building));

const isGenerated = (to: string): boolean => to.startsWith("contract/generated/");
const isOurs = (to: string): boolean =>
  isGenerated(to) || (/\.(tsx?|json|cjs|mjs|css)$/.test(to) && !to.startsWith("@"));
const isManifest = (to: string): boolean => to === "../package.json";
const isNode = (to: string): boolean => to.startsWith("node:");

const libraryOf = (to: string): string => to.split("/", to.startsWith("@") ? 2 : 1).join("/");

const eachImport = (files: readonly SourceFile[]) =>
  files.flatMap((file) => file.imports.map((found) => ({ path: file.path, ...found })));

function strangers(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path }) => {
    const building = buildingOf(path);
    if (!(building in MAY_IMPORT)) return [`src/${path} belongs to no building that MAY_IMPORT knows`];
    const isInFolder = path.split("/").length > 2;
    return hasRooms(building) && isInFolder && !roomOf(path) ? [`src/${path} belongs to no room that ROOMS knows`] : [];
  });
}

const ourImports = (files: readonly SourceFile[]) =>
  eachImport(files).filter(({ to }) => isOurs(to) && !isGenerated(to) && !isManifest(to));

function trespasses(files: readonly SourceFile[]): string[] {
  return ourImports(files).flatMap(({ path, to }) => {
    const [from, into] = [buildingOf(path), buildingOf(to)];
    if (from === into || MAY_IMPORT[from]?.includes(into)) return [];
    return [`src/${path} imports ${to}: ${from} may not import ${into}`];
  });
}

function findDeepImports(files: readonly SourceFile[]): string[] {
  return ourImports(files)
    .filter(({ path, to }) => buildingOf(path) !== buildingOf(to))
    .filter(({ path, to }) => !isEntryPoint(to) && !isIn(to, COLLECTIONS) && path !== to)
    .map(({ path, to }) => `src/${path} imports ${to}, which is not the entry point of its module`);
}

const isEntryPoint = (path: string): boolean => path.endsWith("/index.ts") || ONE_FILE.test(path);

/** Files beside the rooms of a building are for all of them, but for its entry point. */
const isBesideRooms = (path: string): boolean => path.split("/").length === 2 && !path.endsWith("/index.ts");

function wrongRooms(files: readonly SourceFile[]): string[] {
  return ourImports(files).flatMap(({ path, to }) => {
    const room = roomOf(path);
    if (!room || buildingOf(path) !== buildingOf(to) || isBesideRooms(to)) return [];
    return isIn(to, [room, ...(ROOMS[room] ?? [])]) ? [] : [`src/${path} imports ${to}`];
  });
}

/** Values of it: types need no file at run time, and an `import()` waits until it is needed. */
function findEarlyImports(files: readonly SourceFile[]): string[] {
  return eachImport(files)
    .filter(({ path, to, typeOnly, taken }) => isIn(to, ["hosted/"]) && !isIn(path, ["hosted/"]) && !typeOnly && taken)
    .map(({ path, to }) => `src/${path} imports ${to} at its start`);
}

const HOSTED_WORD = /(?:\b(?:[Tt]eam|[Hh]osted|[Pp]rincipal|[Ll]ease)|(?:Team|Hosted|Principal|Lease))s?\b/g;
const MAX_HOSTED_WORDS = 15;

function findHostedWords(files: readonly SourceFile[]): string[] {
  const found = files
    .filter(({ path }) => isIn(path, ["engine/"]))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(HOSTED_WORD), ([word]) => `src/${path} has the word "${word}"`),
    );
  return found.length > MAX_HOSTED_WORDS ? found : [];
}

const MAX_ENTRY_NAMES = 25;

/** Of the modules that another building imports. */
function findWideEntries(files: readonly SourceFile[]): string[] {
  const entries = new Set(
    ourImports(files)
      .filter(({ path, to }) => buildingOf(path) !== buildingOf(to) && to.endsWith("/index.ts"))
      .map(({ to }) => to),
  );
  return files
    .filter(({ path, exports }) => entries.has(path) && exports.length > MAX_ENTRY_NAMES)
    .map(({ path, exports }) => `src/${path} exports ${exports.length} names`);
}

function takesAllPorts(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => isIn(path, ["engine/", "hosted/"]) && !isIn(path, TAKES_ALL_PORTS))
    .filter(({ typeNames }) => typeNames.has("Application"))
    .map(({ path }) => `src/${path} takes the whole Application`);
}

function generatedTrespasses(files: readonly SourceFile[]): string[] {
  return eachImport(files)
    .filter(({ to }) => isGenerated(to))
    .filter(({ path, to, typeOnly }) => {
      const readers = GENERATED_TABLES[to];
      if (readers) return !isIn(path, readers);
      if (to.endsWith(".json")) return !isIn(path, GENERATED_JSON);
      if (to.endsWith(".js")) return !isIn(path, GENERATED_VALIDATORS);
      return !typeOnly || isIn(path, NO_GENERATED_TYPES);
    })
    .map(({ path, to, typeOnly }) => `src/${path} imports ${to}${typeOnly ? "" : ", and not only types"}`);
}

function backDoors(files: readonly SourceFile[]): string[] {
  const foreign = eachImport(files).filter(({ to }) => !isOurs(to) && !isNode(to));
  const misplaced = foreign.flatMap(({ path, to }) => {
    const door = LIBRARY_DOORS[libraryOf(to)];
    if (!door) return [`src/${path} imports ${to}, which has no row in LIBRARY_DOORS`];
    return isIn(path, door.places) ? [] : [`src/${path} imports ${to}, whose door is ${door.places.join(" or ")}`];
  });
  return [...misplaced, ...crowdedDoors(foreign)];
}

function crowdedDoors(foreign: readonly { path: string; to: string }[]): string[] {
  return Object.entries(LIBRARY_DOORS).flatMap(([library, { places, files = Number.POSITIVE_INFINITY }]) =>
    places.flatMap((location) => {
      const users = foreign
        .filter(({ path, to }) => libraryOf(to) === library && isIn(path, [location]))
        .map(({ path }) => path);
      const distinct = [...new Set(users)];
      return distinct.length > files
        ? [`${library} has ${distinct.length} doors in ${location}: ${distinct.join(", ")}`]
        : [];
    }),
  );
}

function effectsInPassing(files: readonly SourceFile[]): string[] {
  const used = files.flatMap(({ path, effects }) =>
    [...effects]
      .filter((effect) => EFFECT_DOORS[effect] && !isIn(path, EFFECT_DOORS[effect]))
      .map((effect) => `src/${path} uses ${effect}`),
  );
  const imported = eachImport(files).flatMap(({ path, to, names }) =>
    NODE_DOORS.filter((door) => door.from.test(to) && !isIn(path, door.places)).flatMap((door) =>
      names.filter((name) => door.names.includes(name)).map((name) => `src/${path} imports ${name} from ${to}`),
    ),
  );
  return [...used, ...imported];
}

function cycles(files: readonly SourceFile[]): string[] {
  const next = new Map(
    files.map((file) => [
      file.path,
      file.imports.filter(({ to }) => isOurs(to) && !isGenerated(to)).map(({ to }) => to),
    ]),
  );
  const done = new Set<string>();
  const found = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) return void found.add([...way.slice(at), path].join(" → "));
    if (done.has(path)) return;
    for (const to of next.get(path) ?? []) visit(to, [...way, path]);
    done.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return [...found];
}

function unusedExports(files: readonly SourceFile[], others: readonly SourceFile[] = []): string[] {
  const importers = new Map<string, { file: SourceFile; taken: readonly string[] | null }[]>();
  for (const file of [...files, ...others])
    for (const { to, taken } of file.imports) importers.set(to, [...(importers.get(to) ?? []), { file, taken }]);
  // A file that is imported whole gives what the importer names, or what is imported of the importer.
  const isUsed = (path: string, name: string): boolean =>
    (importers.get(path) ?? []).some(({ file, taken }) =>
      taken ? taken.includes(name) : new RegExp(`\\b${name}\\b`).test(file.text) || isUsed(file.path, name),
    );
  return files
    .filter(({ path }) => !isIn(path, IMPORTED_FROM_OUTSIDE))
    .flatMap(({ path, exports }) =>
      exports.filter((name) => !isUsed(path, name)).map((name) => `src/${path} exports ${name}`),
    );
}

const namelessParts = (path: string): string[] =>
  path
    .split("/")
    .flatMap((part) => part.replace(/\.tsx?$/, "").split(/[-.]/))
    .filter((word) => NAMELESS.has(word));

const MAX_PARAMETERS = 4;

function findWideFunctions(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, functions }) =>
    functions
      .filter(({ parameters }) => parameters > MAX_PARAMETERS)
      .map(({ name, parameters }) => `src/${path}: ${name} has ${parameters} parameters`),
  );
}

export const RULES: readonly Rule[] = [
  {
    sentence:
      "every file of src/ belongs to a building that has a row in MAY_IMPORT, and to a room of ROOMS where the building has rooms",
    because: "what is new has to say whom it may import before anyone leans on it",
    broken: strangers,
  },
  {
    sentence: "a building imports only the buildings that its row in MAY_IMPORT names",
    because: "somebody can live in one building only while it does not lean on those above it",
    broken: trespasses,
  },
  {
    sentence: "a module of another building is imported by its entry point, which is an index.ts",
    because: "what nobody outside leans on can be changed without asking anybody",
    broken: findDeepImports,
  },
  {
    sentence: "inside a building, a room imports only the rooms that its row in ROOMS names",
    because:
      "rules stay pure and transport stays replaceable only while nobody reaches around sandbox.ts, which hands each part what it needs",
    broken: wrongRooms,
  },
  {
    sentence: "hosted/ is imported late, or for its types",
    because: "a sandbox without a database loads nothing of it",
    broken: findEarlyImports,
  },
  {
    sentence: `the engine has at most ${MAX_HOSTED_WORDS} words of hosted: team, hosted, principal, lease`,
    because: "a sandbox of one process knows no teams and nodes; hosted is plugged in by Access and WorldDirectory",
    broken: findHostedWords,
  },
  {
    sentence: `the entry point of a module exports at most ${MAX_ENTRY_NAMES} names`,
    because: "what others may use of a module can then be read at once",
    broken: findWideEntries,
  },
  {
    sentence:
      "of src/contract/generated, types serve everybody but stories/scenario/, and JSON only the transport, hosted/control/ and sandbox.ts, a table of the control document those that it is for",
    because: "the documents are large and belong to transport; the scenario player knows the sandbox by HTTP only",
    broken: generatedTrespasses,
  },
  {
    sentence: "in engine/ and hosted/, only the files in TAKES_ALL_PORTS name the whole Application",
    because:
      "what a step or a handler may do is then said by its parameter, and whoever stands in for it fakes no more",
    broken: takesAllPorts,
  },
  {
    sentence: "each library comes in by its own door",
    because: "a library that one file knows can be replaced by changing one file",
    broken: backDoors,
  },
  {
    sentence: "each effect has its own door: clock, chance, timers, environment, console, outgoing requests",
    because: "a world can be repeated and its time moved only while nothing reads the outside in passing",
    broken: effectsInPassing,
  },
  {
    sentence: "what is called a secret, a token, a signature or a hash is compared by timingSafeEqual, or looked up",
    because: "a comparison that stops at the first wrong letter tells by its time how much was right",
    broken: (files) => files.flatMap(timedComparisons),
  },
  {
    sentence: "imports form no cycle",
    because: "files that need each other are one file, or miss a third",
    broken: cycles,
  },
  {
    sentence: "what a file exports, another file, or a test, imports",
    because: "what nobody else uses is then seen to be free to change, and what nobody uses at all is found",
    broken: unusedExports,
  },
  {
    sentence: "a relative import carries its .ts, .tsx or .json",
    because: "what is written is then what is read, by every tool alike",
    broken: (files) =>
      eachImport(files)
        .filter(
          ({ path, to }) =>
            !isNode(to) &&
            !isOurs(to) &&
            (to.startsWith("..") ||
              files.some((file) => file.path.startsWith(to) && file.path !== path && to.includes("/"))),
        )
        .map(({ path, to }) => `src/${path} imports ${to}`),
  },
  {
    sentence: `a function has at most ${MAX_PARAMETERS} parameters`,
    because: "it is then called without counting",
    broken: findWideFunctions,
  },
  {
    sentence: "no file or folder is called utils, helpers, common, misc, manager, service or impl",
    because: "such a name says that nobody decided what belongs there",
    broken: (files) =>
      files
        .filter(({ path }) => namelessParts(path).length > 0)
        .map(({ path }) => `src/${path} is called "${namelessParts(path).join(", ")}"`),
  },
  {
    sentence: "file names are kebab-case",
    because: "a name is then guessed right the first time, on every file system",
    broken: (files) =>
      files.filter(({ path }) => !/^[a-z0-9]+([-./][a-z0-9]+)*\.tsx?$/.test(path)).map(({ path }) => `src/${path}`),
  },
  {
    sentence: "every file opens with a comment",
    because: "a reader first wants to know what it is, the rule it enforces, and where that rule comes from",
    broken: (files) =>
      files.filter(({ text }) => !/^(#!.*\n)?(\/\/ (?!biome-ignore)|\/\*)/.test(text)).map(({ path }) => `src/${path}`),
  },
];
