// A folder that somebody else has made, with baits for whoever types a command in it: a listener that wants the token, options that reach
// out of the folder, links, escape characters. Each has one outcome; nothing is sent before a proof, and nothing outside is changed.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { explainNotPlayed } from "../../src/stories/scenario/index.ts";
import { ask } from "../ask.ts";
import { runHere } from "../cli/in-process.ts";
import { startSandboxCommand } from "../cli/run-sandbox.ts";
import { type LocalServer, startLocalServer } from "../local-server.ts";
import { makeTempFolder } from "../temp-folder.ts";

const TOKEN = "the-token-of-the-victim";
const VICTIM = "my only copy\n";

interface Heard {
  request: string;
  authorization: string | undefined;
  body: string;
}
type Reply = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let heard: Heard[] = [];
let reply: Reply;
let listener: LocalServer;
let bait: string;
beforeAll(async () => {
  listener = await startLocalServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    heard.push({ request: `${request.method} ${request.url}`, authorization: request.headers.authorization, body });
    reply(request, response, body);
  });
  bait = listener.url;
});
afterAll(() => listener.close());

let root: string;
let clone: string;
beforeEach(() => {
  heard = [];
  reply = (_, response) => void response.writeHead(401, { "content-type": "application/json" }).end("{}");
  root = makeTempFolder();
  clone = join(root, "clone");
  write("outside/victim.txt", VICTIM);
  write("outside/server.json", VICTIM);
  write("clone/package.json", "{}");
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  symlinkSync(join(root, target), join(clone, path));
}

const namesServer = (content: object) =>
  write("clone/.sandbox/server.json", JSON.stringify({ url: bait, pid: 1, instance: "X", ...content }));

/** What lies outside of the clone. */
const outside = () =>
  readdirSync(join(root, "outside"))
    .sort()
    .map((name) => [name, readFileSync(join(root, "outside", name), "utf8")]);
const UNTOUCHED = [
  ["server.json", VICTIM],
  ["victim.txt", VICTIM],
];

/** As if it were typed in a folder. */
async function typedIn(folder: string, words: readonly string[]) {
  const home = process.cwd();
  process.chdir(folder);
  try {
    return await runHere(words, { SANDBOX_CONTROL_TOKEN: TOKEN, XDG_CONFIG_HOME: root, APPDATA: root });
  } finally {
    process.chdir(home);
  }
}

async function typed(...words: string[]) {
  const { code, stdout, stderr } = await typedIn(clone, words);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  return { code, said: stderr.replaceAll(root, "ROOT").replaceAll(bait, "BAIT") };
}

/** The question that may be sent before a proof holds nothing but this. */
function mustBeQuestion({ request, authorization, body }: Heard): void {
  expect([request, authorization]).toEqual(["POST /_sandbox/proof", undefined]);
  expect(JSON.parse(body)).toEqual({ address: bait, challenge: expect.stringMatching(/^[\w-]{43}$/) });
}

const json = (response: ServerResponse, status: number, body: object) =>
  void response
    .writeHead(status, { "content-type": "application/json", "sandbox-request-id": "r" })
    .end(JSON.stringify(body));

const PASSED_OVER: [what: string, answer: Reply][] = [
  ["401", (_, response) => json(response, 401, { instance: "X" })],
  ["403", (_, response) => json(response, 403, { instance: "X" })],
  ["another instance", (_, response) => json(response, 200, { instance: "Y" })],
  ["a redirection", (_, response) => void response.writeHead(307, { location: `${bait}/stolen` }).end()],
  ["an endless answer", (_, response) => void response.writeHead(200).end(`{"instance":"X","x":"${"x".repeat(1e6)}"}`)],
  ["a page", (_, response) => void response.writeHead(200).end("<h1>Welcome</h1>")],
];

describe("A server in server.json gets one request, and no token, if it responds with", () => {
  it.each(PASSED_OVER)("%s", async (_, answer) => {
    reply = answer;
    namesServer({});
    const { said } = await typed("clock");
    expect(said).toContain(
      ".sandbox/server.json records the sandbox at BAIT (process 1), which has ended; another program has its port.",
    );
    expect(heard).toHaveLength(1);
    heard.forEach(mustBeQuestion);
  });

  it("the instance, but a forged proof: later requests have no token and no secret", async () => {
    reply = (_, response) => json(response, 200, { instance: "X", proof: "x".repeat(43) });
    namesServer({});
    const { said } = await typed("clock");
    expect(said).toContain(
      "SANDBOX_CONTROL_TOKEN is not sent: the sandbox at BAIT has not proved that it knows this token.",
    );
    mustBeQuestion(heard[0] as Heard);
    expect(heard.map(({ authorization }) => authorization).filter(Boolean)).toEqual([]);
    expect(JSON.stringify(heard)).not.toContain(TOKEN);
  });

  it("the response of the real sandbox: a proof for another address is rejected", async () => {
    const home = makeTempFolder();
    const real = startSandboxCommand(
      ["start", "--memory", "--port", "0", "--json"],
      { SANDBOX_CONTROL_TOKEN: TOKEN },
      home,
    );
    const { url } = JSON.parse(await real.shows("}\n")) as { url: string };
    const authorization = `Bearer ${TOKEN}`;
    const { instance } = (await ask("get", `${url}/_sandbox`, { authorization })).body;
    const requestProof = (address: string, challenge: string) =>
      ask("post", `${url}/_sandbox/proof`, {}, { address, challenge });
    const answers: number[] = [];
    reply = async (_, response, body) => {
      const { address = bait, challenge = "x".repeat(43) } = JSON.parse(body || "{}");
      answers.push((await requestProof(address, challenge)).status);
      const { proof } = (await requestProof(url, challenge)).body;
      json(response, 200, { instance, proof });
    };
    namesServer({ instance });
    const { said } = await typed("clock");
    expect(said).toContain("has not proved that it knows this token");
    expect(answers[0]).toBe(403);
    expect(JSON.stringify(heard)).not.toContain(TOKEN);
    // The same command beside the real one needs no word.
    expect(await typedIn(home, ["clock"])).toMatchObject({ code: 0, stderr: expect.not.stringContaining("not sent") });
    await real.stop();
  });
});

const ELSEWHERE = [
  "http://attacker.example:4010",
  "http://0.0.0.0:4010",
  "http://127.0.0.1.attacker.example",
  "http://user:word@127.0.0.1:4010",
  "http://127.0.0.1:4010/path",
  "https://attacker.example:4010",
  "file:///etc/passwd",
  "http://127.0.0.1:4010\u001b[2J",
];

describe("An address outside this machine's loopback is reported and rejected:", () => {
  it.each(ELSEWHERE)("%j", async (url) => {
    namesServer({ url });
    const { said } = await typed("clock");
    expect(said).toMatch(
      /^\.sandbox\/server\.json (names .*, which is no address of this machine's loopback|does not name a sandbox)/,
    );
    expect(heard).toEqual([]);
  });
});

const ODD_FILES: [what: string, make: () => void][] = [
  ["a link out of the clone", () => link(".sandbox/server.json", "outside/victim.txt")],
  [
    "larger than any",
    () => write("clone/.sandbox/server.json", `{"url":"${bait}","pid":1,"instance":"${"X".repeat(1e6)}"}`),
  ],
  ["a group of processes", () => namesServer({ pid: -1 })],
  ["a million levels deep", () => write("clone/.sandbox/server.json", "[".repeat(1e6))],
  [
    "a pipe",
    () => {
      mkdirSync(join(clone, ".sandbox"));
      execFileSync("mkfifo", [join(clone, ".sandbox/server.json")]);
    },
  ],
];

describe.skipIf(process.platform === "win32")("An invalid server.json is reported:", () => {
  it.each(ODD_FILES)("%s", async (_, make) => {
    make();
    expect((await typed("clock")).said).toMatch(/^\.sandbox\/server\.json does not name a sandbox\. Delete it/);
    expect(heard).toEqual([]);
  });
});

const FAR = "is not of this machine's loopback";
const OUTSIDE = "is outside the folder of this file, in ROOT/outside";
/** The line of the file, why it is rejected, and the option to pass instead, if it is not the line itself. */
const REFUSED: [text: string, reason: string, option?: string][] = [
  ["data: ../outside/victim.txt", `is ../outside/victim.txt, which ${OUTSIDE}/victim.txt`],
  ["data: link/victim.txt", `is link/victim.txt, which ${OUTSIDE}/victim.txt`],
  ["data: link/new/world.json", `is link/new/world.json, which ${OUTSIDE}/new/world.json`],
  ["fixture: ../outside", `is ../outside, which ${OUTSIDE}`],
  ["fresh: true", "is true, and can't be set in a file", "--fresh"],
  ["host: 0.0.0.0", `is 0.0.0.0, which ${FAR}`],
  ["control-token: known", "can't be set in a file", "--control-token T"],
  ["metrics-token: known", "can't be set in a file", "--metrics-token T"],
  ["database: postgres://x:y@attacker.example/z", "can't be set in a file", "--database URL"],
  ["allow-public-webhooks: true", "is true, and can't be set in a file", "--allow-public-webhooks"],
  ["webhook-url: https://attacker.example/x", `is attacker.example, which ${FAR}`],
  ["public-url: https://attacker.example", `is attacker.example, which ${FAR}`],
  ["node-url: http://127.0.0.1@attacker.example", `is attacker.example, which ${FAR}`],
  ["cors: ['http://localhost:3000', '*']", `is *, which ${FAR}`, "--cors http://localhost:3000,*"],
  ["json: true", "is true, and can't be set in a file", "--json"],
];

function formatRejection(text: string, reason: string, option = `--${text.replace(": ", " ")}`): string {
  const [name = ""] = text.split(": ");
  const variable = `SANDBOX_${name.toUpperCase().replaceAll("-", "_")}`;
  return `${name} ${reason}. The folder may come from another person, so set it yourself: ${option}, or in ${variable}.`;
}

describe("A configuration file is rejected with its line and the required option, and nothing is opened:", () => {
  it.each([
    ...REFUSED.map((row) => [row[0], formatRejection(...row)] as const),
    ['data: "a\\0b"', "data is ROOT/clone/a\\u0000b, which is not the path of a file. Give it as text."] as const,
  ])("%s", async (text, words) => {
    link("link", "outside");
    write("clone/sandbox.config.yaml", `# options\n${text}\n`);
    expect(await typed("start", "--memory")).toEqual({ code: 2, said: `sandbox.config.yaml:2:1: ${words}\n` });
    expect(readdirSync(clone).sort()).toEqual(["link", "package.json", "sandbox.config.yaml"]);
    expect(outside()).toEqual(UNTOUCHED);
    expect(heard).toEqual([]);
  });

  it("and a key with escape characters is shown without them", async () => {
    write("clone/sandbox.config.yaml", '"\\e]0;owned\\a\\e[2J\\x9b": 1\n');
    const { code, said } = await typed("start");
    expect({ code, said }).toEqual({
      code: 2,
      said: expect.stringContaining("There is no option \\u001b]0;owned\\u0007\\u001b[2J\\u009b."),
    });
  });
});

const LINKS: [what: string, make: () => void, words: string[], code: number, said: RegExp][] = [
  [
    "the default data file",
    () => link(".sandbox/world.json", "outside/victim.txt"),
    ["start"],
    2,
    /^\.sandbox\/world\.json points to ROOT\/outside\/victim\.txt, outside this folder, and is not opened\. .* --data ROOT\/outside\/victim\.txt\. To store nothing, pass --memory\.\n$/,
  ],
  [
    "its folder",
    () => link(".sandbox", "outside"),
    ["start"],
    2,
    /^\.sandbox\/world\.json points to ROOT\/outside\/world\.json, outside this folder/,
  ],
  [
    "what populate fills",
    () => link(".sandbox", "outside"),
    ["world", "populate", "--bookings", "1"],
    2,
    /outside this folder/,
  ],
  [
    "a file of the starter",
    () => link("my-company", "outside"),
    ["init"],
    1,
    /^my-company\/\S+ points through a link to ROOT\/outside, outside ROOT\/clone\. .*Nothing was written\.\n$/,
  ],
  [
    "what --fresh would replace, said aloud",
    () => undefined,
    ["start", "--fresh", "--data", "../outside/victim.txt"],
    1,
    /^ROOT\/outside\/victim\.txt is not a data file of a sandbox, and --fresh replaces nothing else; nothing was changed\./,
  ],
  [
    "what a scenario begins with",
    () => write("clone/stories/a.yaml", "title: A\nfixture: ../../outside\nsteps: [{ name: a, call: getMe }]\n"),
    ["play", "stories"],
    2,
    /^stories\/a\.yaml:2:10: `\.\.\/\.\.\/outside` leads to ROOT\/outside, out of ROOT\/clone\. The sandbox does not read it, because scenarios are untrusted/,
  ],
];

describe.skipIf(process.platform === "win32")("A link or a path can't leave the clone:", () => {
  it.each(LINKS)("%s", async (_, make, words, code, message) => {
    make();
    expect(await typed(...words)).toEqual({ code, said: expect.stringMatching(message) });
    expect(outside()).toEqual(UNTOUCHED);
    expect(heard).toEqual([]);
  });

  it("nor can links in the names of temporary files, which are created again", async () => {
    link(".sandbox/world.json.tmp", "outside/victim.txt");
    const { code } = await typed("world", "populate", "--bookings", "1");
    expect(code).toBe(0);
    expect(statSync(join(clone, ".sandbox/world.json")).size).toBeGreaterThan(100);
    expect(outside()).toEqual(UNTOUCHED);
  });
});

describe("A scenario reads only the variables that the user names:", () => {
  const VARIABLES = [
    "SANDBOX_CONTROL_TOKEN SANDBOX_CLIENT_SECRET SANDBOX_WEBHOOK_SECRET AWS_ACCESS_KEY_ID GH_PAT DBPW",
    "JWT PIN SSH PGP OTP SALT SEED SID CACHE_URL STRIPE BACKUP TENANT CONN HOME PATH USER",
  ].flatMap((names) => names.split(" "));
  const subscribe = (name: string) =>
    `  - { name: it sends ${name}, call: createWebhookSubscription, with: { url: "${bait}/\${env.${name}}", event_types: [v1.event.updated], state: ENABLED } }\n`;
  const story = (...names: readonly string[]) =>
    `title: A\nfixture: empty\nsteps:\n${names.map(subscribe).join("")}  - { name: a message, trigger: v1.event.updated }\n`;

  it.each(["play", "play --shrink"])("%s rejects a scenario that reads others, and sends nothing", async (command) => {
    for (const name of VARIABLES) vi.stubEnv(name, `value-of-${name}`);
    write("clone/stories/a.yaml", story(...VARIABLES));
    const { code, said } = await typed(...command.split(" "), "stories/a.yaml", "--env", "PATHS");
    expect(code).toBe(2);
    for (const [at, name] of VARIABLES.entries())
      expect(said).toMatch(
        new RegExp(
          `stories/a\\.yaml:${at + 4}:\\d+: \\$\\{env\\.${name}\\}: a scenario reads only variables that you allow\\. Add --env ${name} to let it read ${name}\\n`,
        ),
      );
    expect(said).not.toContain("value-of-");
    expect(heard).toEqual([]);
  });

  it("also if a value of the head names it, or the complete environment is requested", async () => {
    vi.stubEnv("DBPW", "value-of-DBPW");
    const head = `title: A\nfixture: empty\ngiven: { a: "\${env.DBPW}" }\nsteps: [{ name: who, call: getMe }]\n`;
    write("clone/stories/a.yaml", head);
    expect(await typed("play", "stories/a.yaml")).toMatchObject({
      code: 2,
      said: expect.stringContaining("--env DBPW"),
    });
    write("clone/stories/b.yaml", head.replace("env.DBPW", "env"));
    expect(await typed("play", "stories/b.yaml")).toMatchObject({
      code: 2,
      said: expect.stringContaining("needs the name"),
    });
  });

  it("record does not play one either", async () => {
    vi.stubEnv("DBPW", "value-of-DBPW");
    write("clone/stories/a.yaml", story("DBPW"));
    const file = join(clone, "stories/a.yaml");
    const [problem] = await explainNotPlayed(file, { start: startOwnSandbox });
    expect(problem).toContain("--env DBPW");
    expect(heard).toEqual([]);
  });

  it("reads those that were named, and those that name the sandbox", async () => {
    const open = ["SANDBOX_URL", "SANDBOX_TOKEN_URL", "SANDBOX_CLIENT_ID", "SANDBOX_WORLD"];
    const names = [...open, "DBPW", "MY_CITY"];
    for (const name of names) vi.stubEnv(name, `value-of-${name}`);
    const expecting = names.map((name) =>
      subscribe(name).replace(" }\n", `, expect: { body: { url: "${bait}/value-of-${name}" } } }\n`),
    );
    write("clone/stories/a.yaml", `title: A\nfixture: empty\nsteps:\n${expecting.join("")}`);
    expect((await typed("play", "stories/a.yaml", "--env", "DBPW", "--env", "MY_CITY")).code).toBe(0);
    expect((await typed("play", "stories/a.yaml", "--env", "DBPW")).code).toBe(2);
    expect((await typed("validate", "stories/a.yaml")).code).toBe(0);
  });
});

it("A folder can still configure its fixture, its data, and a receiver on this machine", async () => {
  await typedIn(clone, ["init", "."]);
  write(
    "clone/sandbox.config.yaml",
    "fixture: ./my-company\ndata: state/world.json\nhost: localhost\nquiet: true\nwebhook-url: http://127.0.0.1:9/hook\n",
  );
  const { code, stdout } = await typedIn(clone, ["exec", "--json", "--", "node", "--version"]);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, fixture: "my-company" });
});

describe("Another program at the address is reported as such, without a stack trace:", () => {
  it("wait, which continues to wait", async () => {
    reply = (_, response) => void response.writeHead(200).end("ok");
    const { code, said } = await typed("wait", "--url", bait, "--timeout", "0.3");
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringMatching(/^No sandbox answered at BAIT within 0\.3 s\./),
    });
  });

  it.each(["call getMe", "call --list", "env", "clock", "act --list", "login", "logs", "world export"])(
    "%s",
    async (words) => {
      for (const [type, body] of [
        ["text/html", "<h1>Welcome</h1>"],
        ["application/json", "[]"],
        ["application/json", "null"],
        ["application/json", '{"items":1}'],
      ]) {
        reply = (_, response) => void response.writeHead(200, { "content-type": type as string }).end(body);
        const { code, said } = await typed(...words.split(" "), "--url", bait);
        expect({ code, said }).toEqual({
          code: 1,
          said: expect.stringMatching(/^The program at BAIT is not a sandbox: /),
        });
      }
    },
  );
});
