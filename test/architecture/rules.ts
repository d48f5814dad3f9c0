// The shape of the program as tables: who may import whom, which file is the door of a library or an effect, what a file looks
// like. A rule is a sentence, a reason, and the places that break it.
import { timedComparisons } from "./secrets.ts";
import type { SourceFile } from "./source.ts";

export type Rule = { sentence: string; because: string; broken: (files: readonly SourceFile[]) => string[] };

/** A place is a folder ("http/") or a file ("sandbox.ts"). Every part of src/ has a row; it may always import itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "domain/": [],
  "world/": ["domain/", "process-alive.ts"],
  "process-alive.ts": [],
  "operations/": ["domain/", "world/"],
  "acts/": ["domain/", "world/"],
  "time/": ["domain/", "world/", "kept-file.ts"],
  "webhooks/": ["domain/", "world/"],
  "document/": [],
  "http/": [
    "document/",
    "domain/",
    "world/",
    "app/application.ts",
    "app/meanwhile.ts",
    "fixture-name.ts",
    "html.ts",
    "loopback.ts",
    "package-folder.ts",
    "settings.ts",
    "shell-quoted.ts",
    "token-proof.ts",
    "slices.ts",
  ],
  "slices.ts": [],
  "bounded-file.ts": [],
  "fixture-name.ts": [],
  "kept-file.ts": [],
  "loopback.ts": [],
  "positions.ts": [],
  "package-folder.ts": [],
  "fixtures/": [
    "domain/",
    "world/",
    "operations/",
    "acts/",
    "time/due.ts",
    "bounded-file.ts",
    "fixture-name.ts",
    "kept-file.ts",
    "positions.ts",
  ],
  "app/": ["domain/", "world/", "time/", "fixtures/", "settings.ts", "slices.ts"],
  "recording/": [],
  "client/": ["document/", "recording/"],
  "console/": ["client/", "document/", "shell-quoted.ts"],
  "reader/": [],
  "library/": [
    "client/",
    "recording/",
    "acts/act-types.ts",
    "domain/kernel/kinds.ts",
    "fixture-name.ts",
    "loopback.ts",
    "settings.ts",
  ],
  "mcp/": ["app/mcp-sessions.ts", "client/", "document/", "domain/kernel/", "verdict/"],
  "redirect/": [],
  "why/": ["app/", "document/", "domain/", "http/", "world/"],
  "runners/": ["index.ts", "why/reason.ts"],
  "scenario/": [
    "client/",
    "domain/kernel/",
    "bounded-file.ts",
    "fixture-name.ts",
    "junit.ts",
    "package-folder.ts",
    "positions.ts",
    "shell-quoted.ts",
    "why/reason.ts",
  ],
  "verdict/": ["client/", "document/", "domain/kernel/", "html.ts", "junit.ts", "positions.ts", "shell-quoted.ts"],
  "settings.ts": ["domain/", "setting-forms.ts", "setting-values.ts"],
  "setting-forms.ts": [],
  "setting-values.ts": ["domain/", "loopback.ts"],
  "html.ts": [],
  "junit.ts": [],
  "shell-quoted.ts": [],
  "token-proof.ts": [],
  "sandbox.ts": [
    "domain/",
    "world/",
    "operations/",
    "acts/",
    "time/",
    "webhooks/",
    "http/",
    "why/index.ts",
    "app/",
    "fixture-name.ts",
    "fixtures/",
    "mcp/sessions.ts",
    "package-folder.ts",
    "settings.ts",
  ],
  "index.ts": [
    "acts/act-types.ts",
    "client/",
    "domain/",
    "fixtures/fixture-fault.ts",
    "http/",
    "library/",
    "settings.ts",
    "sandbox.ts",
  ],
  "cli/": [
    "bounded-file.ts",
    "fixture-name.ts",
    "loopback.ts",
    "package-folder.ts",
    "process-alive.ts",
    "client/",
    "document/",
    "domain/",
    "fixtures/",
    "positions.ts",
    "recording/",
    "scenario/",
    "verdict/",
    "settings.ts",
    "setting-forms.ts",
    "setting-values.ts",
    "shell-quoted.ts",
    "token-proof.ts",
    "sandbox.ts",
    "index.ts",
    "http/serve.ts",
    "mcp/index.ts",
    "world/store/store-error.ts",
  ],
};

/** Files for one part alone: what serves very large worlds is known where records are held and stored. */
const PRIVATE: Record<string, string> = {
  "world/state/serialized-record.ts": "world/",
  "world/state/member-scan.ts": "world/state/",
};

/** What is generated from the spec: its types serve everybody but the scenario player, its JSON only these. */
const GENERATED_JSON = ["http/", "why/", "app/", "sandbox.ts"];
/** Small tables that are made of the control document, and who reads each. */
const GENERATED_TABLES: Record<string, readonly string[]> = {
  "generated/fault-words.json": ["domain/kernel/fault-words.ts"],
  "generated/commands.json": ["cli/"],
  "generated/fault-input.json": ["cli/", "mcp/"],
  "generated/tools.json": ["mcp/"],
};
const GENERATED_VALIDATORS = ["http/", "fixtures/", "app/"];
const GENERATED_TYPES = Object.keys(MAY_IMPORT).filter((place) => place !== "scenario/");

/** Library → where it may be imported, and in how many files of a place at most. */
const LIBRARY_DOORS: Record<string, { places: readonly string[]; files?: number }> = {
  express: { places: ["http/"] },
  cors: { places: ["http/cross-origin.ts"] },
  "@stoplight/prism-http": { places: ["http/contract.ts"] },
  "@stoplight/types": { places: ["http/", "sandbox.ts"] },
  ajv: { places: ["http/", "fixtures/", "app/", "scenario/", "verdict/calibrate/"] },
  "ajv-formats": { places: ["http/", "fixtures/", "scenario/"] },
  "@opentelemetry/api": { places: ["app/monitoring/open-telemetry.ts"] },
  "@opentelemetry/exporter-trace-otlp-http": { places: ["app/monitoring/open-telemetry.ts"] },
  "@opentelemetry/resources": { places: ["app/monitoring/open-telemetry.ts"] },
  "@opentelemetry/sdk-trace-node": { places: ["app/monitoring/open-telemetry.ts"] },
  pg: { places: ["world/store/postgres/connection.ts"] },
  lowdb: { places: ["world/"], files: 1 },
  "sorted-btree": { places: ["world/"], files: 1 },
  "@faker-js/faker": { places: ["fixtures/populate.ts"] },
  "fastest-levenshtein": { places: ["domain/kernel/nearest.ts", "http/router.ts"] },
  "@modelcontextprotocol/sdk": { places: ["mcp/"] },
  minisearch: { places: ["mcp/document-index.ts"] },
  zod: { places: ["mcp/"] },
  "openapi-fetch": { places: ["client/control.ts"] },
  preact: { places: ["console/"] },
  rapidoc: { places: ["reader/"] },
  buffer: { places: ["reader/buffer.ts"] },
  "@preact/signals": { places: ["console/"] },
  vitest: { places: ["runners/vitest.ts"] },
  "@jest/globals": { places: ["runners/jest.ts"] },
  "csv-parse": { places: ["scenario/csv.ts"] },
  re2js: { places: ["scenario/pattern.ts"] },
  commander: { places: ["cli/"] },
  "string-width": { places: ["cli/terminal/terminal.ts"] },
  "cross-spawn": { places: ["cli/commands/exec.ts", "cli/launch.ts"] },
  yaml: { places: ["http/served.ts", "positions.ts"] },
  "currency-codes": { places: ["domain/money/currency.ts"] },
  "temporal-polyfill": { places: ["domain/kernel/instant.ts", "domain/kernel/zone.ts"] },
};

const EVERYWHERE = Object.keys(MAY_IMPORT);

/** Effect → its doors. */
const EFFECT_DOORS: Record<string, readonly string[]> = {
  "Date.now": ["time/clock.ts"],
  "new Date()": ["time/clock.ts"],
  "Temporal.Now": ["time/clock.ts"],
  "Math.random": [],
  "process.env": ["settings.ts", "cli/", "library/elsewhere.ts", "scenario/", "redirect/"],
  console: ["cli/", "runners/"],
  fetch: ["cli/", "console/api.ts", "reader/", "scenario/", "library/", "redirect/", "verdict/description.ts"],
  "http.request": ["webhooks/http-delivery.ts", "redirect/"],
  "http.get": ["webhooks/http-delivery.ts", "redirect/"],
  "https.request": ["webhooks/http-delivery.ts", "redirect/"],
  "https.get": ["webhooks/http-delivery.ts", "redirect/"],
  setTimeout: EVERYWHERE.filter((place) => !["domain/", "operations/", "acts/"].includes(place)),
  setInterval: EVERYWHERE.filter((place) => !["domain/", "operations/", "acts/"].includes(place)),
};

/** Named imports from Node that are effects too. */
const NODE_DOORS: { from: RegExp; names: readonly string[]; places: readonly string[] }[] = [
  {
    from: /^(node:)?https?$/,
    names: ["request", "get"],
    // In process: it sends to itself.
    places: ["webhooks/http-delivery.ts", "scenario/client.ts", "http/hosted/forward.ts", "http/in-process.ts"],
  },
  {
    from: /^(node:)?crypto$/,
    names: ["randomBytes", "randomUUID", "randomInt", "getRandomValues", "webcrypto"],
    // What nobody may guess: a challenge, and the mark of our own colours.
    places: ["sandbox.ts", "cli/server-at.ts", "cli/terminal/terminal.ts"],
  },
];

const NAMELESS = new Set("util utils helper helpers common misc manager managers service services impl".split(" "));

const isIn = (path: string, places: readonly string[]): boolean =>
  places.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place));

const partOf = (path: string): string => (path.includes("/") ? `${path.split("/")[0]}/` : path);

const isGenerated = (to: string): boolean => to.startsWith("generated/");
const isOurs = (to: string): boolean =>
  isGenerated(to) || (/\.(tsx?|json|cjs|mjs|css)$/.test(to) && !to.startsWith("@"));
const isManifest = (to: string): boolean => to === "../package.json";
const isNode = (to: string): boolean => to.startsWith("node:");

const libraryOf = (to: string): string => to.split("/", to.startsWith("@") ? 2 : 1).join("/");

const eachImport = (files: readonly SourceFile[]) =>
  files.flatMap((file) => file.imports.map((found) => ({ path: file.path, ...found })));

function strangers(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !(partOf(path) in MAY_IMPORT))
    .map(({ path }) => `src/${path} belongs to no part that MAY_IMPORT knows`);
}

function trespasses(files: readonly SourceFile[]): string[] {
  return eachImport(files)
    .filter(({ to }) => isOurs(to) && !isGenerated(to) && !isManifest(to))
    .filter(({ path, to }) => !isIn(to, [partOf(path), ...(MAY_IMPORT[partOf(path)] ?? [])]))
    .map(({ path, to }) => `src/${path} imports ${to}`);
}

function intrusions(files: readonly SourceFile[]): string[] {
  return eachImport(files)
    .filter(({ path, to }) => PRIVATE[to] !== undefined && !isIn(path, [PRIVATE[to]]))
    .map(({ path, to }) => `src/${path} imports ${to}, which is for ${PRIVATE[to]} alone`);
}

function generatedTrespasses(files: readonly SourceFile[]): string[] {
  return eachImport(files)
    .filter(({ to }) => isGenerated(to))
    .filter(({ path, to, typeOnly }) => {
      if (to.endsWith(".json")) return !isIn(path, GENERATED_TABLES[to] ?? GENERATED_JSON);
      if (to.endsWith(".js")) return !isIn(path, GENERATED_VALIDATORS);
      return !typeOnly || !isIn(path, GENERATED_TYPES);
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
    places.flatMap((place) => {
      const users = foreign
        .filter(({ path, to }) => libraryOf(to) === library && isIn(path, [place]))
        .map(({ path }) => path);
      const distinct = [...new Set(users)];
      return distinct.length > files
        ? [`${library} has ${distinct.length} doors in ${place}: ${distinct.join(", ")}`]
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

const namelessParts = (path: string): string[] =>
  path
    .split("/")
    .flatMap((part) => part.replace(/\.tsx?$/, "").split(/[-.]/))
    .filter((word) => NAMELESS.has(word));

export const RULES: readonly Rule[] = [
  {
    sentence: "every file of src/ belongs to a part that has a row in MAY_IMPORT",
    because: "a new part has to say whom it may import before anyone leans on it",
    broken: strangers,
  },
  {
    sentence: "a part imports only the parts that its row in MAY_IMPORT names",
    because:
      "rules stay pure and transport stays replaceable only while nobody reaches around sandbox.ts, which hands each part what it needs",
    broken: trespasses,
  },
  {
    sentence: "a file in PRIVATE is imported in its own part only",
    because: "that a record may be text is a matter of memory, and nothing that rules or transport should know",
    broken: intrusions,
  },
  {
    sentence:
      "of src/generated, types serve everybody but scenario/, and JSON only http/ and sandbox.ts, a table of the control document those that it is for",
    because: "the documents are large and belong to transport; the scenario player knows the sandbox by HTTP only",
    broken: generatedTrespasses,
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
