// What CONTRIBUTING says under "Where a new thing goes", followed: in a copy of the project one thing of each kind is added as its row
// says, and nothing else is written; then the copy is checked, built once and used.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toFields } from "../../src/console/forms/form-model.ts";
import type { JsonSchema } from "../../src/contract/json-schema.ts";
import { STEPS } from "../../src/hosted/postgres/tables.ts";
import { startProgram } from "../cli/run-sandbox.ts";
import { extent } from "../extent.ts";
import { onStdio } from "../mcp/mcp-kit.ts";
import { postgresBin, queryRows, startPostgres } from "../postgres/postgres-kit.ts";
import { makeTempFolder } from "../temp-folder.ts";

const copy = makeTempFolder();
const bin = join(copy, "bin/sandbox.js");
const ends: (() => unknown)[] = [];
let url = "";

/** Writes `text` in front of the only occurrence of `before`. */
function write(file: string, before: string, text: string): void {
  const content = readFileSync(join(copy, file), "utf8");
  expect(content.split(before).length - 1, `occurrences of ${JSON.stringify(before)} in ${file}`).toBe(1);
  writeFileSync(
    join(copy, file),
    content.replace(before, () => text + before),
  );
}

/** The mode of these tests is none of the copy's. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SANDBOX_|VITEST|NODE_)/.test(name)));
const node = (...words: string[]) => execFileSync(process.execPath, words, { cwd: copy, env, encoding: "utf8" });
const sandbox = (line: string) => node(bin, ...line.split(" "));
const at = (line: string) => sandbox(`${line} --url ${url}`);

beforeAll(async () => {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" }).trim().split("\n");
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(file, join(copy, file));
  }
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  for (const name of followed) {
    const { files = {}, lines = [] } = THINGS[name] ?? {};
    for (const [file, text] of Object.entries(files)) writeFileSync(join(copy, file), text);
    for (const [file, before, text] of lines) write(file, before, text);
  }
  node("src/build/spec.mjs");
  // Nothing new can break the types of the other tests.
  const typed = { extends: "./tsconfig.json", include: ["src/**/*.ts"], exclude: ["src/console"] };
  writeFileSync(join(copy, "tsconfig.things.json"), JSON.stringify(typed));
  for (const project of ["tsconfig.things.json", "src/console"])
    node("node_modules/typescript/lib/tsc.js", "--noEmit", "-p", project);
  node("src/build/bundle.mjs");
  node(
    "node_modules/vitest/vitest.mjs",
    ..."run --config test/vitest.config.ts --mode docs test/docs/documents.test.ts -t".split(" "),
    "made from the code",
  );
  const running = startProgram(process.execPath, [bin, "start", "--memory", "--json", "--port", "0"]);
  ends.push(() => running.child.kill("SIGKILL"));
  url = JSON.parse((await running.shows("\n")).split("\n")[0] ?? "").url;
}, 600_000);
afterAll(async () => {
  for (const end of ends) await end();
});

const GREETING = `greeting:
  get:
    operationId: greet
    tags: [Sandbox]
    summary: Say hello.
    description: 'It does nothing else.'
    x-cli: { command: greeting }
    parameters:
      - { name: to, in: query, description: Whom it greets., schema: { type: string, maxLength: 20, default: you } }
    responses:
      '200':
        description: The greeting.
        content:
          application/json:
            schema: { type: object, required: [hello], properties: { hello: { type: string } } }
      '401': { $ref: ../responses.yaml#/TokenMissing }
      '403': { $ref: ../responses.yaml#/Forbidden }
      default: { $ref: ../responses.yaml#/Failed }
`;

/** A program that calls the sandbox once, and stays. */
const KEEPS_A_TOKEN = `
  const { SANDBOX_URL: url, SANDBOX_CLIENT_ID: client_id, SANDBOX_CLIENT_SECRET: client_secret } = process.env;
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
  fetch(url + "/oauth2/token", { method: "POST", body }).then(() => setInterval(() => {}, 1000));
`;

interface Thing {
  /** New ones. */
  files?: Readonly<Record<string, string>>;
  /** What is written in front of what. */
  lines?: readonly (readonly [file: string, before: string, text: string])[];
}

const HANDLER = `// Says hello.
import { defineHandlers, ok } from "./handler.ts";

export const greeting = defineHandlers({
  greet: ({ query }) => ok({ hello: query.to ?? "you" }),
});
`;

const OPERATION = `greetings:
  get:
    operationId: listGreetings
    summary: List the greetings
    description: It does nothing else.
    tags: [Identity]
    security:
      - oauth2: []
    x-maturity: stable
    x-assumption: greeting
    responses:
      "200":
        description: The greetings.
        content:
          application/json:
            schema: { type: object, required: [hello], properties: { hello: { type: string } } }
            examples:
              hello: { summary: A greeting, value: { hello: you } }
      "400": { $ref: ../responses.yaml#/BadRequest }
      "401": { $ref: ../responses.yaml#/Unauthorized }
      "429": { $ref: ../responses.yaml#/TooManyRequests }
      "500": { $ref: ../responses.yaml#/InternalServerError }
      "503": { $ref: ../responses.yaml#/ServiceUnavailable }
      default: { $ref: ../responses.yaml#/UnexpectedError }
`;

const ACT = `greetGuest:
  parameters:
    - $ref: ../parameters.yaml#/WorldQuery
    - $ref: ../parameters.yaml#/WorldHeader
  post:
    operationId: greetGuest
    tags: [Acts]
    summary: Greet a guest.
    description: Who is called Nobody is not greeted.
    requestBody:
      required: true
      content:
        application/json:
          schema: { $ref: "#/GreetGuestInput" }
          example: { email: anna@example.com, full_name: Anna Holm }
    responses:
      "200": { $ref: ../responses.yaml#/ActDone }
      "400": { $ref: ../responses.yaml#/Invalid }
      "401": { $ref: ../responses.yaml#/TokenMissing }
      "403": { $ref: ../responses.yaml#/Forbidden }
      "404": { $ref: ../responses.yaml#/NotFound }
      "409": { $ref: ../responses.yaml#/Refused }
      default: { $ref: ../responses.yaml#/Failed }
GreetGuestInput:
  type: object
  additionalProperties: false
  required: [email, full_name]
  properties:
    email: { type: string, format: email }
    full_name: { type: string, minLength: 1 }
`;

const CONSENT = "v1.marketing_consent.created";
const webhooks = readFileSync("spec/webhooks.yaml", "utf8");
/** As another kind is. */
const KIND = webhooks
  .slice(webhooks.indexOf(`${CONSENT}:\n  post:`))
  .replaceAll(CONSENT, "v1.guest.greeted")
  .replace("onMarketingConsentCreated", "onGuestGreeted");

/** By the row in CONTRIBUTING. */
const THINGS: Readonly<Record<string, Thing>> = {
  operation: {
    files: {
      "spec/paths/greetings.yaml": OPERATION,
      "src/engine/operations/me/list-greetings.ts":
        '// GET /v1/greetings. Assumption: greeting.\nimport { read } from "../operation.ts";\n\nexport const listGreetings = read("listGreetings", () => ({ hello: "you" }));\n',
    },
    lines: [
      ["spec/openapi.yaml", "  /v1/me:\n", "  /v1/greetings:\n    $ref: ./paths/greetings.yaml#/greetings\n"],
      [
        "src/engine/operations/index.ts",
        "import { getOrder }",
        'import { listGreetings } from "./me/list-greetings.ts";\n',
      ],
      ["src/engine/operations/index.ts", "  getMe,\n", "  listGreetings,\n"],
    ],
  },
  "error of a rule": {
    lines: [
      [
        "spec/errors.yaml",
        "  EVENT_NOT_ACTIVE:\n",
        '  NOT_GREETED:\n    status: 409\n    message: "{name} is not greeted."\n    rests_on: [{ assumption: greeting }]\n    looked: "it is {name}"\n    advice: Greet another.\n',
      ],
    ],
  },
  act: {
    files: { "spec/control/acts/greetings.yaml": ACT },
    lines: [
      [
        "spec/control.yaml",
        "  /_sandbox/acts/createKey:",
        "  /_sandbox/acts/greetGuest: { $ref: control/acts/greetings.yaml#/greetGuest }\n",
      ],
      ["src/engine/acts/act-types.ts", "  submitConsent: ", '  greetGuest: ServiceSchemas["MarketingConsent"];\n'],
      [
        "src/engine/acts/consents.ts",
        "import { showConsent }",
        'import { reject } from "../domain/kernel/domain-error.ts";\n',
      ],
      [
        "src/engine/acts/consents.ts",
        "  // Each submission",
        '  act("greetGuest", (tx, input) =>\n    input.full_name === "Nobody" ? reject("NOT_GREETED", { name: input.full_name }) : showConsent(submitConsent(tx, input)),\n  ),\n',
      ],
    ],
  },
  "member of a stored record": {
    lines: [["spec/world.yaml", "\n  subscriptions:\n    allOf", "      nickname: { type: string, maxLength: 20 }\n"]],
  },
  "state or rule": {
    lines: [
      [
        "src/engine/domain/kernel/transitions.ts",
        "],\n    COMPLETED: [],\n  },\n} as const satisfies LifeCycle<string>;\n\nexport const giftCardStates",
        '"ACTIVE"',
      ],
    ],
  },
  "webhook kind": {
    lines: [
      ["spec/webhooks.yaml", "v1.marketing_consent.created:\n  post:", KIND],
      [
        "src/engine/webhooks/kinds.ts",
        '  "v1.marketing_consent.created": {',
        '  "v1.guest.greeted": { facts: ["gift_card.created"], payload: (tx, id) => ({ consent_id: id, ...getHost(tx) }) },\n',
      ],
      [
        "src/engine/webhooks/triggers.ts",
        '  "v1.marketing_consent.created": {',
        '  "v1.guest.greeted": { act: "buyGiftCard", example: () => ({ initial_value: 100 }) },\n',
      ],
    ],
  },
  "scenario verb": {
    files: {
      "test/docs/words/greet.yaml":
        "title: A greeting\nsteps:\n  - name: a guest comes\n    greet: Anna\n    expect: { hello: Anna }\n",
      "src/stories/scenario/steps/greet.ts":
        '// greet: says hello.\nimport type { Verb } from "./verb.ts";\n\nexport const greet: Verb = {\n  name: "greet",\n  answers: ["hello"],\n  about: () => "a guest",\n  play: async (step) => ({ outcome: { hello: (step as { greet?: string }).greet ?? "" } }),\n};\n',
    },
    lines: [
      ["src/stories/scenario/steps/index.ts", "import { receiver, webhook }", 'import { greet } from "./greet.ts";\n'],
      ["src/stories/scenario/steps/index.ts", "call, act, trigger, advance,", "greet, "],
      [
        "spec/scenario.schema.json",
        '        "name": {\n          "description": "What happens;',
        '        "greet": { "title": "greet", "description": "A guest.", "type": "string" },\n',
      ],
      [
        "spec/scenario.schema.json",
        '{\n          "required": ["call"]\n        },\n        {\n          "required": ["act"]\n        },\n        {\n          "required": ["trigger"]\n        },\n        {\n          "required": ["advance"]\n        },\n        {\n          "required": ["webhook"]\n        },\n        {\n          "required": ["fault"]\n        },\n        {\n          "required": ["receiver"]\n        },\n        {\n          "required": ["assume"]\n        },\n        {\n          "required": ["repeat"]\n        }\n      ]\n    },\n    "Assume"',
        '{ "required": ["greet"] },\n        ',
      ],
    ],
  },
  collection: {
    lines: [
      [
        "spec/world.yaml",
        "  messages:\n    type: object",
        '  visits:\n    type: object\n    additionalProperties: false\n    required: [id, order_id]\n    properties:\n      id: { $ref: "#/schemas/Id" }\n      order_id: { $ref: "#/schemas/Id" }\n',
      ],
      [
        "src/engine/domain/kernel/records.ts",
        "export interface Key {",
        'export type Visit = StoredSchemas["visits"];\n',
      ],
      [
        "src/engine/domain/kernel/transaction.ts",
        "  consents: Repository<",
        '  visits: Repository<records.Visit, "order">;\n',
      ],
      ["src/engine/world/state/schema.ts", "  consents: { created:", "  visits: { order: (it) => [it.order_id] },\n"],
    ],
  },
  "profile of the verdict": {
    lines: [
      [
        "spec/profiles.yaml",
        "accounting:\n",
        "greeter:\n  for: Greets guests.\n  operations: [listBookings]\n  pass: [AUTH-04]\n\n",
      ],
    ],
  },
  guess: {
    lines: [
      [
        "spec/assumptions.yaml",
        "- id: ids\n",
        "- id: greeting\n  area: house-style\n  gap: Whom it greets is not stated.\n  chosen: You.\n  basis: [own-choice]\n  default: you\n  alternatives:\n    - value: all\n      meaning: All are greeted.\n  where:\n    - spec/paths/greetings.yaml listGreetings\n\n",
      ],
    ],
  },
  option: {
    lines: [
      ["src/engine/settings.ts", "  logBytes: number;", "  greeting: string | undefined;\n"],
      [
        "src/engine/settings.ts",
        "  logBytes: number(",
        '  greeting: text("word", undefined, types.file, {\n    meaning: "The word to begin with.",\n  }),\n',
      ],
    ],
  },
  "tool of the Model Context Protocol": {
    files: {
      "src/mcp/tools/greet.ts":
        '// greet: says hello.\nimport { createInput, type Tool } from "../tool.ts";\n\nexport const greet: Tool = {\n  name: "greet",\n  title: "Greet",\n  description: "Says hello.",\n  input: createInput({ name: { type: "string", description: "Whom.", maxLength: 20 } }),\n  example: {},\n  run: async ({ name = "you" }: { name?: string }) => ["Hello", name],\n};\n',
    },
    lines: [
      ["src/mcp/tools/index.ts", "import { readOperation }", 'import { greet } from "./greet.ts";\n'],
      ["src/mcp/tools/index.ts", "  overview,\n", "  greet,\n"],
    ],
  },
  "control operation": {
    files: { "spec/control/paths/greeting.yaml": GREETING, "src/engine/http/control/greeting.ts": HANDLER },
    lines: [
      [
        "spec/control.yaml",
        "  /_sandbox/operations:",
        "  /_sandbox/greeting: { $ref: control/paths/greeting.yaml#/greeting }\n",
      ],
      ["src/engine/http/control/index.ts", "import { messages }", 'import { greeting } from "./greeting.ts";\n'],
      ["src/engine/http/control/index.ts", "  ...history,", "  ...greeting,\n"],
    ],
  },
  /** Of the operation above. */
  "command that carries one control call": {},
  "another command": {
    files: {
      "src/cli/commands/hello.ts":
        '// sandbox hello: says hello.\nimport type { Command } from "../command.ts";\n\nexport const hello: Command = {\n  name: "hello",\n  summary: "Say hello.",\n  options: [],\n  async run({ terminal }) {\n    terminal.print("Hello.");\n    return 0;\n  },\n};\n',
    },
    lines: [
      ["src/cli/command-line.ts", "import { init }", 'import { hello } from "./commands/hello.ts";\n'],
      ["src/cli/command-line.ts", "start, exec, wait", "hello, "],
    ],
  },
  "member of a fault": {
    lines: [["spec/control/schemas/faults.yaml", "    operation:\n", "    note: { type: string, maxLength: 80 }\n"]],
  },
  "check of the verdict": {
    lines: [
      [
        "spec/checks.yaml",
        "LANG-01:\n",
        "LANG-02:\n  level: should\n  title: The program greets\n  done: Nothing.\n  rule: A guest is greeted.\n  harm: None.\n  advice: Greet.\n  explain: { happens: Nobody greets., instead: Greet., code: greet(); }\n\n",
      ],
      ["src/verdict/checks/language.ts", '  "LANG-01": {', '  "LANG-02": { lint: () => pass("it greets") },\n'],
    ],
  },
  "screen of the console": {
    files: {
      "src/console/screens/greeting.tsx":
        "// A greeting.\nexport function Greeting() {\n  return <p>Hello from the copy</p>;\n}\n",
    },
    lines: [
      ["src/console/screens.tsx", "import { Records }", 'import { Greeting } from "./screens/greeting.tsx";\n'],
      ["src/console/screens.tsx", "];", '  { path: "greeting", title: "Greeting", key: "g", Show: Greeting },\n'],
    ],
  },
  "row of a soak": {
    lines: [
      ["spec/soak.yaml", "  host-checks-in:", "  guest-is-greeted: { per_day: 20, does: A guest is greeted. }\n"],
      [
        "src/verdict/soak/business.ts",
        '  "host-checks-in": onBooking(',
        '  "guest-is-greeted": async (occasion) => [{ act: "greetGuest", input: { email: "bo@example.com", full_name: drawGuest(occasion).name } }],\n',
      ],
    ],
  },
  "migration of the database": {
    lines: [["src/hosted/postgres/tables.ts", "];\n", ', "create table greetings (id int)"']],
  },
};

/** Things that are added together, because a test needs all of them. */
const GREETING_GUESTS = ["operation", "guess", "error of a rule", "act"];
const GROUPS = [
  GREETING_GUESTS,
  [...GREETING_GUESTS, "row of a soak"],
  ["member of a stored record"],
  ["state or rule"],
  ["webhook kind"],
  ["scenario verb"],
  ["profile of the verdict"],
  ["migration of the database"],
  ["collection"],
  ["option", "another command"],
  ["tool of the Model Context Protocol", "check of the verdict"],
  ["screen of the console"],
  ["member of a fault"],
  ["control operation", "command that carries one control call"],
];

/** CI follows three groups, others every day; `npm run test:long` follows all. */
function drawGroups(): readonly string[][] {
  const day = Math.floor(Date.now() / 86_400_000);
  const draw = [0, 1, 2].map((step) => GROUPS[(day * 3 + step) % GROUPS.length] ?? []);
  return extent(draw, draw, GROUPS);
}

const followed = new Set(drawGroups().flat());

/** A test of things that were added; it is skipped on a day that follows others. */
function follow(things: readonly string[], title: string, test: () => void | Promise<void>): void {
  it.skipIf(!things.every((thing) => followed.has(thing)))(title, test);
}

it("Each row of CONTRIBUTING is tested here, and no other", () => {
  const [, table = ""] = readFileSync("CONTRIBUTING.md", "utf8").split("| new | do | test |\n|---|---|---|\n");
  const rows = [...(table.split("\n\n")[0] ?? "").matchAll(/^\| ([^|]+) \|/gm)].map(([, name]) => name);
  expect(Object.keys(THINGS).sort()).toEqual(rows.sort());
  expect([...new Set(GROUPS.flat())].sort()).toEqual(rows);
});

describe("A new item of each kind exists", () => {
  follow(["operation"], "operation, with its guess", () => {
    expect(JSON.parse(at("call listGreetings --json"))).toMatchObject({ status: 200, body: { hello: "you" } });
    expect(sandbox("assume greeting")).toMatch(/Whom it greets is not stated\.[\s\S]*\* you[\s\S]*All are greeted/);
    at("assume greeting=all");
    expect(at("assume greeting")).toMatch(/\* all/);
  });

  follow(["act"], "act, with an error of its rule that is explained", () => {
    expect(at("act greetGuest --set email=bo@example.com --set full_name=Bo")).toContain("marketing_consent.created");
    expect(() => at("act greetGuest --set email=no@example.com --set full_name=Nobody")).toThrow(
      /NOT_GREETED: Nobody is not greeted\./,
    );
    expect(at("why")).toMatch(/Greet another\.[\s\S]*NOT_GREETED ✗ it is Nobody/);
  });

  follow(["member of a stored record"], "member of a stored record, which an import may have", () => {
    const document = JSON.parse(at("world export"));
    const [consent] = document.collections.consents;
    // It is of the document as it was exported.
    delete document.checksum;
    expect(consent).toBeDefined();
    const file = join(copy, "world.json");
    const imported = (nickname: unknown) => {
      consent.nickname = nickname;
      writeFileSync(file, JSON.stringify(document));
      return at(`world import ${file}`);
    };
    expect(imported("Bo")).toContain("is imported");
    expect(() => imported("x".repeat(21))).toThrow(/nickname/);
  });

  follow(["state or rule"], "state that an event may go to", () => {
    at("act cancelEvent --set event_id=evt-evening");
    expect(at("act activateEvent --set event_id=evt-evening")).toContain("event.updated");
  });

  follow(["webhook kind"], "webhook kind, which is triggered and listed", async () => {
    at("trigger v1.guest.greeted --set id=bo");
    const response = await fetch(`${url}/_sandbox/messages?kind=v1.guest.greeted`);
    const [{ body, kind }] = ((await response.json()) as { items: [{ body: { payload: object }; kind: string }] })
      .items;
    expect([kind, body.payload]).toEqual(["v1.guest.greeted", expect.objectContaining({ consent_id: "bo" })]);
  });

  follow(["scenario verb"], "scenario verb, which plays", () => {
    const file = join(copy, "test/docs/words/greet.yaml");
    expect(at(`play ${file}`)).toMatch(/1 passed/);
  });

  follow(["profile of the verdict"], "profile of the verdict, with what is missing of it", () => {
    const file = join(copy, "log.json");
    const entry = { kind: "request", operation: "listBookings", status: 200, faults: [] };
    writeFileSync(file, JSON.stringify({ items: [entry] }));
    expect(sandbox(`check coverage --profile greeter --file ${file}`)).toMatch(/^ 1 of 2 · greeter/m);
  });

  follow(["row of a soak"], "row of a soak, which happens in it", () => {
    const options = ["--days", "1", "--without", "restart", "--probe", "node -p 0+{}", "--json"];
    const { stdout } = spawnSync(
      process.execPath,
      [bin, "check", "soak", ...options, "--", "node", "-e", KEEPS_A_TOKEN],
      { cwd: copy, env, encoding: "utf8" },
    );
    expect(JSON.parse(stdout).business["guest-is-greeted"]).toBeGreaterThan(0);
  });

  it.skipIf(!postgresBin || !followed.has("migration of the database"))(
    "migration of a database with the previous tables",
    async () => {
      const postgres = await startPostgres();
      ends.push(() => postgres.close());
      const database = await postgres.newDatabase();
      const started = async (program: string) => {
        const words = ["start", "--database", database, "--json", "--port", "0"];
        const running = startProgram(process.execPath, [program, ...words]);
        ends.push(() => running.child.kill("SIGKILL"));
        return running;
      };
      const before = await started(resolve("bin/sandbox.js"));
      await before.shows('"url"');
      before.child.kill("SIGTERM");
      await before.ended;
      await (await started(bin)).shows('"url"');
      const query = "select (select count(*)::int from migrations) as steps, to_regclass('greetings') as made";
      expect(await queryRows(database, query)).toEqual([{ steps: STEPS.length + 1, made: "greetings" }]);
    },
  );

  follow(["collection"], "collection, which a document has and gets back", () => {
    const document = JSON.parse(at("world export"));
    delete document.checksum;
    const [order] = document.collections.orders;
    const visits = [{ id: "vst-1", order_id: order.id }];
    const file = join(copy, "visits.json");
    writeFileSync(file, JSON.stringify({ ...document, collections: { ...document.collections, visits } }));
    at(`world import ${file}`);
    expect(JSON.parse(at("world export")).collections.visits).toEqual(visits);
  });

  follow(["option", "another command"], "option and commands, with help and page", () => {
    expect(sandbox("start --help")).toMatch(/--greeting <word>\s+The word to begin with\./);
    expect(sandbox("hello")).toBe("Hello.\n");
    const page = readFileSync(join(copy, "docs/commands.md"), "utf8");
    for (const words of ["`--greeting word`", "## sandbox hello"]) expect(page).toContain(words);
  });

  follow(["tool of the Model Context Protocol", "check of the verdict"], "tool and check of the verdict", async () => {
    const { client } = await onStdio([process.execPath, bin, "mcp", "--url", url], copy, () => undefined);
    ends.push(() => client.close());
    const { content } = await client.callTool({ name: "greet", arguments: { name: "Anna" } });
    expect(content).toEqual([{ type: "text", text: "Hello\nAnna" }]);
    const { content: checks } = await client.callTool({ name: "verdict", arguments: { action: "checks" } });
    expect(JSON.stringify(checks)).toContain("LANG-02 (should): The program greets");
  });

  follow(["screen of the console"], "screen of the console", () => {
    expect(readFileSync(join(copy, "dist/console/console.js"), "utf8")).toContain("Hello from the copy");
  });
});

describe("A new field of a fault", () => {
  follow(["member of a fault"], "is an option, with its words, its completion and its page", () => {
    expect(at("fault add getMe --status 503 --note x")).toMatch(/^getMe: 503 +note x +hits 0 of 1$/m);
    expect(at("fault list")).toMatch(/note x/);
    expect(sandbox("complete -- fault add getMe --no")).toContain("--note\t");
    expect(sandbox("fault add --help")).toMatch(/--note <text>/);
    expect(readFileSync(join(copy, "docs/commands.md"), "utf8")).toContain("- `--note text`");
    expect(() => at(`fault add getMe --status 503 --note ${"x".repeat(81)}`)).toThrow();
  });

  follow(["member of a fault"], "is in the documents, and so in the form of the console", async () => {
    const document = (await (await fetch(`${url}/_sandbox/openapi.json`)).json()) as Documented;
    const { Fault, FaultInput } = document.components.schemas;
    expect([Fault?.properties?.note, FaultInput?.properties?.note]).toEqual([NOTE, NOTE]);
    expect(toFields(FaultInput ?? {}).map(({ name }) => name)).toContain("note");
  });

  follow(
    ["member of a fault"],
    "is in the tool's schema, in the types of the library and in that of scenarios",
    async () => {
      const { client } = await onStdio([process.execPath, bin, "mcp", "--url", url], copy, () => undefined);
      ends.push(() => client.close());
      const { tools } = await client.listTools();
      expect(tools.find(({ name }) => name === "faults")?.inputSchema.properties?.note).toEqual(NOTE);
      expect(readFileSync(join(copy, "dist/types/contract/generated/control.d.ts"), "utf8")).toContain("note?: string");
      const { $defs } = JSON.parse(readFileSync(join(copy, "spec/scenario.schema.json"), "utf8"));
      expect($defs.Fault.properties.note).toEqual(NOTE);
    },
  );
});

const NOTE = { type: "string", maxLength: 80 };
interface Documented {
  components: { schemas: Record<string, JsonSchema> };
}

describe("An operation with x-cli", () => {
  follow(["control operation"], "is a command, with its help, its completion and its page", () => {
    expect(at("greeting --to Anna")).toBe("hello  Anna\n");
    expect(JSON.parse(at("greeting --json"))).toEqual({ hello: "you" });
    expect(sandbox("greeting --help")).toMatch(/Say hello\.[\s\S]*--to <text>\s+Whom it greets\./);
    expect(sandbox("--help")).toMatch(/More:\n +greeting +Say hello\./);
    expect(sandbox("complete -- gree")).toContain("greeting\tSay hello.\n");
    expect(readFileSync(join(copy, "docs/commands.md"), "utf8")).toContain("## sandbox greeting\n\nSay hello.");
    expect(readFileSync(join(copy, "docs/control-api.md"), "utf8")).toContain("`GET /_sandbox/greeting`");
  });
});
