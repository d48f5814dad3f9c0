// sandbox world populate as people and scripts run it: a data file that no sandbox is using, one document, and every way to ask wrongly.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeSandbox } from "../../src/sandbox.ts";
import { ask } from "../ask.ts";
import { runHere } from "./in-process.ts";
import { folder, run, startSandboxCommand } from "./run-sandbox.ts";

const HELD = ["--clock", "2030-06-01T09:00:00Z"];
const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
const populate = (...words: string[]) => run(["world", "populate", ...words]);

describe("populate", () => {
  it.concurrent("fills a new data file that a sandbox can use, and reports it in one document", async () => {
    const { code, stdout, stderr } = await populate("--bookings", "100", "--data", "bulk/w.json", "--json", ...HELD);
    expect([code, stderr, stdout.trim().split("\n").length]).toEqual([0, "", 1]);
    const reported = JSON.parse(stdout) as { added: Record<string, number>; seconds: number };
    expect(reported).toMatchObject({ data: "bulk/w.json", world: "default", until: "2030-06-01T09:00:00.000Z" });
    expect(reported.added).toMatchObject({
      bookings: 100,
      tickets: expect.any(Number),
      journal_entries: expect.any(Number),
    });
    expect(reported.seconds).toBeGreaterThan(0);
    expect(readdirSync(join(folder, "bulk"))).toEqual(["w.json", "w.json.log"]);
    const started = startSandboxCommand(["start", "--port", "0", "--data", "bulk/w.json", "--json"]);
    const { url } = JSON.parse(await started.shows("\n")) as { url: string };
    const about = (await (await fetch(`${url}/_sandbox`)).json()) as { counts: { bookings: number } };
    expect(about.counts.bookings).toBeGreaterThan(100);
    const size = statSync(join(folder, "bulk/w.json")).size;
    const refused = await runHere(["world", "populate", "--bookings", "10", "--data", join(folder, "bulk/w.json")]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(
      /w\.json is in use by process \d+ \(.*\.lock\); stop it, or use another --data file\n$/,
    );
    expect(statSync(join(folder, "bulk/w.json")).size).toBe(size);
    expect((await started.stop()).code).toBe(0);
  });

  it.concurrent("creates the same world from the same seed, and extends an existing one", async () => {
    const exported = async (data: string, seed: string) => {
      await runHere(["world", "populate", "--bookings", "40", "--seed", seed, "--data", join(folder, data), ...HELD]);
      const { application, close } = await makeSandbox({ data: join(folder, data) });
      const document = [...application.states.export(application.worlds.get("default")!)].join("");
      await close();
      return document;
    };
    const [one, twin, other] = [
      await exported("a.json", "7"),
      await exported("b.json", "7"),
      await exported("c.json", "8"),
    ];
    expect([twin === one, other === one]).toEqual([true, false]);
    const { code, stdout } = await populate("--bookings", "5", "--data", "a.json", "--seed", "9");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Added 5 bookings with .* to a\.json, .* seed 9, in .* s\.\n$/),
    ]);
  });

  it.concurrent.each([
    ["Give the number of bookings"],
    ["--bookings is many, which is not a number of bookings.", "--bookings", "many"],
    ["--bookings is 0,", "--bookings", "0"],
    ["--seed is x,", "--bookings", "1", "--seed", "x"],
    ["--clock is noon,", "--bookings", "1", "--clock", "noon"],
    ["--data is for a data file, --world for a running sandbox. Give only one of them.", "--world", "w-1"],
    ["Did you mean harbour-tours?", "--bookings", "1", "--fixture", "harbor-tours"],
  ])("rejects invalid input: %s", async (words, ...given) => {
    const data = join(folder, "never.json");
    const { code, stdout, stderr } = await runHere(["world", "populate", "--data", data, ...given]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(words);
    expect(existsSync(data)).toBe(false);
  });

  it("saves no bookings when it is interrupted, however long the clock ran", async () => {
    const data = join(folder, "broken-off.json");
    const booked = async () => {
      const { application, close } = await makeSandbox({ data });
      const { bookings, events } = application.worlds.get("default")!.counts();
      await close();
      return { bookings, events };
    };
    const before = await booked();
    const filling = startSandboxCommand(["world", "populate", "--bookings", "9000", "--data", data]);
    const isOpen = () => readdirSync(folder).includes("broken-off.json.lock");
    await expect.poll(isOpen, { timeout: 60_000 }).toBe(true);
    // The clock ticks each second.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect((await filling.stop("SIGINT")).code).toBe(130);
    expect(await booked()).toEqual(before);
  });

  it.concurrent("extends a world of a running sandbox, which keeps responding", async () => {
    const start = ["start", "--port", "0", "--data", "live.json", "--json", ...HELD];
    const started = startSandboxCommand(start);
    const { url } = JSON.parse(await started.shows("\n")) as { url: string };
    const bookingsAt = async (base: string) =>
      ((await (await fetch(`${base}/_sandbox`)).json()) as { counts: { bookings: number } }).counts.bookings;
    const before = await bookingsAt(url);
    let healthy = 0;
    let isOver = false;
    const adding = populate("--bookings", "300", "--url", url, "--json").finally(() => {
      isOver = true;
    });
    for (; !isOver; await pause()) {
      const answer = await fetch(`${url}/healthz`);
      await answer.text();
      healthy += answer.ok ? 1 : 0;
    }
    const { code, stdout, stderr } = await adding;
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ url, world: "default", added: { bookings: 300 } });
    expect(healthy).toBeGreaterThan(2);
    const plain = await runHere(["world", "populate", "--bookings", "5"], { SANDBOX_PORT: new URL(url).port });
    expect(plain.stdout).toMatch(/^Added 5 bookings with .* to world default of http/);
    for (const [words, ...given] of [
      ["Give only one of them.", "--world", "w", "--data", "x.json"],
      ["There is no world nope.", "--world", "nope"],
      ["--bookings: must be <= 10000; it is 30000", "--bookings", "30000"],
      ["--bookings is many,", "--bookings", "many"],
      ["Give only one of them.", "--data", "x.json"],
    ] as const) {
      const number = (given as readonly string[]).includes("--bookings") ? [] : ["--bookings", "5"];
      const refused = await runHere(["world", "populate", "--url", url, ...given, ...number]);
      expect([refused.code === 0, refused.stdout]).toEqual([false, ""]);
      expect(refused.stderr).toContain(words);
    }
    await started.stop("SIGKILL");
    const again = startSandboxCommand(start);
    const next = JSON.parse(await again.shows("\n")) as { url: string };
    expect(await bookingsAt(next.url)).toBe(before + 305);
    await again.stop();
  });

  it.concurrent("adds nothing if the world changes at the same time", async () => {
    const started = startSandboxCommand(["start", "--port", "0", "--memory", "--json", ...HELD]);
    const { url } = JSON.parse(await started.shows("\n")) as { url: string };
    const post = (path: string, body: object) => ask("post", `${url}/_sandbox/${path}`, {}, body);
    const adding = post("state/populate", { bookings: 4000 });
    const state = { isOver: false };
    const answer = adding.finally(() => {
      state.isOver = true;
    });
    const consent = { full_name: "A", email: "a@example.com", source: "checkout" };
    for (; !state.isOver; await pause()) await post("acts/submitConsent", consent);
    expect(await answer).toMatchObject({
      status: 409,
      body: { code: "CONFLICT", message: expect.stringContaining("none was added") },
    });
    await started.stop();
  });
});
