// Runs every command in this process against a running sandbox, and checks its output and its exit code.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { worldOf } from "../sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere, sandboxOfTests } from "./in-process.ts";

const folder = makeTempFolder();
const at = sandboxOfTests();

it("A removal prints the removed name with --json, under the name in the help", async () => {
  const printed = async (line: string) => (await runHere(line.split(" "), at)).stdout;
  await printed("world create w-gone");
  await printed("snapshot save gone");
  expect(await printed("world remove w-gone --json")).toBe('{"id":"w-gone","removed":true}\n');
  expect(await printed("snapshot remove gone --json")).toBe('{"name":"gone","removed":true}\n');
});

it("An error about a wrong address names the variable that contains it", async () => {
  const { code, stderr } = await runHere(["clock"], { SANDBOX_URL: "127.0.0.1:4203" });
  expect([code, stderr.trim()]).toEqual([
    2,
    "SANDBOX_URL is 127.0.0.1:4203, which is not a plain http address. Write it as http://127.0.0.1:4203.",
  ]);
});

it.each([
  "--help",
  "start --help",
  "listen --help",
  "world populate --help",
  "check run --help",
  "play --help",
  "fault add --help",
  "books entries",
  "show 1042",
  "books balance",
  "rewind now",
  "world reset",
  "snapshot save narrow",
  "world list",
  "clock advance P3D --dry-run",
  "logs --messages",
])("sandbox %s fits a terminal of 60 columns", async (line) => {
  const { code, stdout, stderr } = await runHere(line.split(" "), { ...at, SANDBOX_WORLD: "default" }, 60);
  expect(code).toBe(0);
  const lines = (stdout + stderr).split("\n").filter((each) => !each.startsWith("  sandbox "));
  expect(lines.filter((each) => each.length > 60)).toEqual([]);
  // Nothing is left out.
  expect(stdout).not.toContain("…");
});

it("world populate shows a bar while it works on a terminal, and removes it at the end", async () => {
  const words = ["world", "populate", "--bookings", "3", "--url", at.SANDBOX_URL ?? ""];
  const { stdout, stderr } = await runHere(words, at, 60);
  expect(stderr).toMatch(/^\rAdding 3 bookings {2}███·{17} {2}0\.0 s\r/);
  expect(stderr).toContain("\r\u001b[K");
  expect(stdout).toMatch(/^Added 3 bookings/);
  const piped = await runHere(words, at);
  expect(piped.stdout + piped.stderr).not.toContain("Adding");
});

const DONE: [line: string, words: RegExp, members: string[]][] = [
  ["wait", /is ready/, ["url", "ready"]],
  ["env", /^export SANDBOX_URL='http/, ["SANDBOX_URL", "SANDBOX_CLIENT_SECRET"]],
  ["act --list", /^cancelBooking {2}.+\n {4}booking_id refund\?/m, ["items"]],
  ["act cancelBooking --list", /sandbox act cancelBooking --data '/, ["act", "input"]],
  ['act createKey --set name=CI --set scopes=["booking.read"]', /key\.created/, ["result", "facts"]],
  [
    "trigger v1.marketing_consent.created",
    /marketing_consent\.created[\s\S]*^No webhook subscription matches v1\.marketing_consent\.created\. Run `sandbox listen`, or start with `--webhook-url`, to receive it\.$/m,
    ["result", "facts"],
  ],
  ["clock", /^It is 2030-06-01T09:00:00.000Z, held/, ["now", "mode"]],
  ["clock hold", /held/, ["now", "receipt"]],
  ["clock advance P40D --dry-run", /It would be 2030-07-11T\S+: \d\d due, 0 deliveries/, ["now", "receipt"]],
  ["fault add getOrder --delay 1", /^getOrder: 1 ms late +hits 0 of 1$/m, ["faults"]],
  ["fault list", /./, ["faults"]],
  ["fault clear", /^No fault is armed\./, ["faults"]],
  ["snapshot save before", /^Saved before/, ["name", "counts"]],
  ["world", /^default +harbour-tours/m, ["items"]],
  ["world create --fixture empty", /^World /, ["id", "client_secret"]],
  ["world fork --count 2", /Client secret/, ["items"]],
  ["logs --all", /^2030-06-01 \(UTC\)\n09:00:0\dZ /, ["items"]],
  ["world export", /^\{/, ["collections"]],
];

describe("Results for people and for programs:", () => {
  it.each(DONE)("sandbox %s", async (line, words, members) => {
    const [people, program] = await Promise.all([
      runHere(line.split(" "), at),
      runHere([...line.split(" "), "--json"], at),
    ]);
    expect([people.code, program.code]).toEqual([0, 0]);
    expect(people.stdout).toMatch(words);
    expect(people.stdout).not.toContain("\u001b");
    for (const member of members) expect(JSON.parse(program.stdout)).toHaveProperty([member]);
  });
});

describe("In a separate world", () => {
  const inWorld = async (id: string, ...lines: string[]) => {
    await runHere(["world", "create", id, "--clock", "2030-06-01T09:00:00Z"], at);
    const runs = [];
    for (const line of lines) runs.push(await runHere(line.split(" "), { ...at, SANDBOX_WORLD: id }));
    return runs.map(({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`);
  };

  it("a clock move is undone with a snapshot", async () => {
    const [, moved, , , back] = await inWorld(
      "moved",
      "snapshot save a",
      "clock advance P1D",
      "snapshot",
      "snapshot load a",
      "clock",
    );
    expect(moved).toMatch(
      /^0 2030-06-01 \d\d:\d\d:\d\d {2}[\s\S]*It is 2030-06-02T09:00:00.000Z: \d+ due, \d+ deliver/,
    );
    expect(back).toContain("It is 2030-06-01T09:00:00.000Z, held.");
  });

  it("faults are added, hit, listed with their hits, and cleared", async () => {
    const created = await runHere(["world", "create", "faulty", "--json"], at);
    const { client_id, client_secret } = JSON.parse(created.stdout);
    const world = worldOf(at.SANDBOX_URL, "faulty", client_id, client_secret);
    const me = () => world.call("getMe", { undocumented: true });
    const [none] = await inWorld("faulty", "fault");
    expect(none).toMatch(/^0 No fault is armed\. Arm one with/);
    await inWorld("faulty", "fault add getMe --status 503 --code BUSY --times 2");
    expect((await me()).status).toBe(503);
    const [added, listed] = await inWorld("faulty", "fault add createToken --connection reset --when after", "fault");
    const target = `Target: world faulty at ${at.SANDBOX_URL}\n`;
    expect(added).toBe(`${listed}${target}`);
    expect(listed?.trim().split("\n")).toEqual([
      expect.stringMatching(/^0 getMe: 503 BUSY +hits 1 of 2$/),
      expect.stringMatching(/^createToken: connection reset after it was carried out +hits 0 of 1$/),
    ]);
    expect([(await me()).status, (await me()).status]).toEqual([503, 200]);
    const [cleared, after] = await inWorld("faulty", "fault clear", "fault list --json");
    expect(cleared).toBe(`0 No fault is armed.\n${target}`);
    expect(after).toMatch(/^0 \{"faults":\[\]\}\n/);
    const [usual] = await inWorld("faulty", "fault add getMe --code NOT_FOUND");
    expect(usual).toMatch(/^0 getMe: 404 NOT_FOUND +hits 0 of 1\n/);
    await inWorld("faulty", "fault clear");
    const [named] = await inWorld("faulty", "fault add any --name busy --status 503 --method GET,POST --skip 2");
    expect(named).toMatch(/^0 busy +any operation, 503, only GET, POST, after 2 +hits 0 of 1\n/);
    const [, one, again] = await inWorld(
      "faulty",
      "fault add getMe --status 500",
      "fault clear --name busy",
      "fault clear --name busy",
    );
    expect(one).toMatch(/^0 getMe: 500 +hits 0 of 1\nTarget: world \S+ at \S+\n$/);
    expect(again).toBe("1 No fault called busy is armed. `sandbox fault list` lists them.\n");
  });

  it("an exported state can be imported, and a damaged one is rejected", async () => {
    const [exported] = await inWorld("kept", "world export");
    const document = (exported ?? "").slice(2).split("\n")[0] ?? "";
    expect(exported).toContain("Keep it private");
    // As editors of Windows write it.
    writeFileSync(join(folder, "kept.json"), `\ufeff${document}`);
    writeFileSync(join(folder, "damaged.json"), document.replace("harbour", "harbor"));
    const [imported, damaged, reset] = await inWorld(
      "taken",
      `world import ${join(folder, "kept.json")}`,
      `world import ${join(folder, "damaged.json")}`,
      "world reset --json",
    );
    expect(imported).toMatch(/^0 World taken is imported: harbour-tours/);
    expect(damaged).toMatch(/^2 /);
    expect(reset).toContain('"id":"taken"');
  });
});

describe("A fixture", () => {
  const shipped = fileURLToPath(new URL("../../fixtures/harbour-tours", import.meta.url));

  /** A copy with one entry of its history changed, and what validate says of it. */
  async function changed(name: string, change: (history: { act: string; with: Record<string, unknown> }[]) => void) {
    const own = join(folder, name);
    cpSync(shipped, own, { recursive: true });
    const file = join(own, "history.json");
    const document = JSON.parse(readFileSync(file, "utf8"));
    change(document.history);
    writeFileSync(file, JSON.stringify(document, null, 2));
    return { ...(await runHere(["validate", own], {})), own };
  }

  it("is validated by playing it, and reports a rejected act in the same words as a start", async () => {
    const lacking = await changed("lacking", (history) => {
      const bought = history.find(({ act }) => act === "buyGiftCard");
      if (bought) bought.with = {};
    });
    expect(lacking).toMatchObject({ code: 1, stdout: expect.stringContaining("initial_value") });
    const started = await runHere(["start", "--memory", "--fixture", lacking.own], {});
    expect(lacking.stdout.trim()).toBe(started.stderr.trim());
    const unknown = await changed("unknown", (history) => {
      const cancelled = history.find(({ act }) => act === "cancelBooking");
      if (cancelled) cancelled.with.booking_id = "nope";
    });
    expect(unknown.stdout).toMatch(/history\.json:\d+: history\.\d+: .*nope/);
    expect((await runHere(["validate", join(folder, "unknown", "about.md")], {})).code).toBe(1);
  }, 30_000);

  it.each<[what: string, change: (input: Record<string, unknown>) => void, problem: RegExp]>([
    [
      "one too many",
      (input) => Object.assign(input, { intial_value: 1 }),
      /\.intial_value: .* instead of 'initial_value'/,
    ],
    [
      "one within",
      (input) => Object.assign(input, { customer: { nam: "Bo" } }),
      /\.customer\.nam: .* instead of 'name'/,
    ],
    [
      "a value that does not fit",
      (input) => Object.assign(input, { initial_value: "x" }),
      /\.initial_value: must be .*"x"\./,
    ],
  ])("reports the position of a wrong input in its history: %s", async (what, change, problem) => {
    const { stdout, own } = await changed(what.replaceAll(" ", "-"), (history) =>
      change(history.find(({ act }) => act === "buyGiftCard")?.with ?? {}),
    );
    const [, line, path = ""] = /history\.json:(\d+): history\.\d+\.with(.*)/.exec(stdout) ?? [];
    expect(path).toMatch(problem);
    const member = /\w+(?=:)/.exec(path)?.[0];
    expect(readFileSync(join(own, "history.json"), "utf8").split("\n")[Number(line) - 1]).toContain(`"${member}"`);
  });

  it("without world.json, or with a misnamed file, is reported as an incomplete fixture, not as a folder of scenarios", async () => {
    const own = join(folder, "worldless");
    cpSync(shipped, own, { recursive: true });
    rmSync(join(own, "world.json"));
    for (const path of [own, join(own, "events.json")])
      expect(await runHere(["validate", path], {})).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/worldless\/world\.json: is missing\. It says who the company is/),
      });
    cpSync(join(shipped, "world.json"), join(own, "wolrd.json"));
    expect((await runHere(["validate", own], {})).stdout).toContain(
      "wolrd.json: is not a file of a fixture. Did you mean world.json?",
    );
  });

  it("is validated at each hour at which one of its dates shifts", async () => {
    const closing = await changed("closing", (history) => {
      const checkout = history.at(-1);
      if (checkout) checkout.with.event_id = "evt-canal-08";
    });
    expect(closing).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/startCheckout .* was refused: Event evt-canal-08/),
    });
  }, 180_000);
});

describe("A scenario", () => {
  it("is rejected before it runs if its fixture is unknown", async () => {
    const file = join(folder, "strange.yaml");
    const report = join(folder, "report.xml");
    writeFileSync(file, "title: x\nfixture: harbor-tours\nsteps: [{ name: a, call: getMe }]\n");
    const sentence = "strange.yaml:2:10: there is no fixture `harbor-tours`; did you mean `harbour-tours`?";
    const validated = await runHere(["validate", file], {});
    expect([validated.code, validated.stdout]).toEqual([1, expect.stringContaining(sentence)]);
    const played = await runHere(["play", file, "--reporter", "junit", "--output", report], {});
    expect([played.code, played.stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(existsSync(report)).toBe(false);
  });

  it("is not overwritten by its own report", async () => {
    const file = join(folder, "precious.yaml");
    const text = "title: x\nfixture: empty\nsteps: [{ name: a, call: getMe }]\n";
    writeFileSync(file, text);
    const played = await runHere(["play", file, "--output", relative(process.cwd(), file)], {});
    expect([played.code, played.stdout]).toEqual([2, ""]);
    expect(played.stderr).toContain("precious.yaml is one of the scenarios to play. Name another file.");
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("needs a reachable sandbox", async () => {
    const { code, stderr } = await runHere(["play", "scenarios", "--url", "http://127.0.0.1:9"], {});
    expect([code, stderr]).toEqual([1, expect.stringContaining("Start one with `sandbox start`")]);
  });

  it("that can't be played is reported to programs like every failure", async () => {
    const none = await runHere(["play", "scenarios", "--url", "http://127.0.0.1:9", "--json"], {});
    expect([none.code, JSON.parse(none.stdout).error.code]).toEqual([1, "SANDBOX_UNREACHABLE"]);
    const file = join(folder, "misspelt.yaml");
    writeFileSync(file, "title: x\nfixture: empty\nsteps: [{ name: a, call: getMy }]\n");
    const misspelt = await runHere(["play", file, "--json"], {});
    expect([misspelt.code, JSON.parse(misspelt.stdout)]).toEqual([
      2,
      { error: { code: "WRONG_USAGE", message: expect.stringContaining("did you mean `getMe`?") } },
    ]);
  });

  it("is accepted or rejected alike by validate and play", async () => {
    const scenario = (operation: string, status: number) =>
      JSON.stringify({
        title: "Who is it",
        fixture: "empty",
        steps: [{ name: "me", call: operation, expect: { status } }],
      });
    writeFileSync(join(folder, "right.json"), scenario("getMe", 200));
    writeFileSync(join(folder, "wrong.json"), scenario("getMe", 404));
    writeFileSync(join(folder, "odd.json"), scenario("getMy", 200));
    const lines = [
      "validate right.json --json",
      "play right.json",
      "play wrong.json",
      "validate odd.json",
      "play odd.json",
    ];
    const runs = await Promise.all(
      lines.map((line) =>
        runHere(
          line.split(" ").map((word) => word.replace(/^.*\.json$/, (name) => join(folder, name))),
          {},
        ),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 1, 1, 2]);
    expect(JSON.parse(runs[0]?.stdout ?? "")).toMatchObject({
      ok: true,
      items: [{ kind: "scenario", faults: [] }],
    });
    expect(runs[3]?.stdout).toContain("getMe");
  });
});

describe("Help", () => {
  it.each([
    ["--help"],
    ["start --help"],
    ["clock --help"],
    ["clock advance --help"],
    ["exec --help"],
    ["act --help"],
    ["fault --help"],
    ["fault add --help"],
    ["play --help"],
    ["verdict --help"],
    ["drill --help"],
    ["token create --help"],
  ])("sandbox %s fits 80 columns, and exits with 0", async (line) => {
    const { code, stdout, stderr } = await runHere(line.split(" "), {});
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: sandbox/);
    expect(stdout.split("\n").filter((each) => each.length > 80 && !each.startsWith("  sandbox play "))).toEqual([]);
  });
});
