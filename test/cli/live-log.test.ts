// `start` prints a line for each request, act, clock move and delivery attempt, wrapped to the terminal. Lines are skipped if the reader is too
// slow.
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type BootResult, boot } from "../../src/cli/boot.ts";
import { createClient } from "../../src/cli/client.ts";
import { clientOptions } from "../../src/cli/command.ts";
import { subscribe } from "../../src/cli/commands/listen.ts";
import { readOptions } from "../../src/cli/options.ts";
import { formatBanner } from "../../src/cli/terminal/introduction.ts";
import { makeLineBuffer, showLive } from "../../src/cli/terminal/live-log.ts";
import { makeTerminal, measureWidth } from "../../src/cli/terminal/terminal.ts";
import { defaults } from "../../src/engine/settings.ts";
import { ask } from "../ask.ts";
import { makeTempFolder } from "../temp-folder.ts";

let running: BootResult;
let url: string;

beforeAll(async () => {
  running = await boot({ ...defaults, clock: "2030-06-01T09:00:00.000Z" });
  url = running.introduction.announcement.url;
});

afterAll(() => running.close());

/** Shows what happens on a terminal of that width, or in a pipe, until the work is done. */
async function viewOn(columns: number | undefined, work: () => Promise<unknown>, last: RegExp): Promise<string[]> {
  let text = "";
  const stdout = {
    write(piece: string | Uint8Array) {
      text += piece;
      return true;
    },
    isTTY: columns !== undefined,
    columns,
  };
  const end = showLive(running.application, makeTerminal(stdout as never, stdout as never, {}));
  await work();
  await vi.waitFor(() => expect(text).toMatch(last), { timeout: 30_000 });
  await end();
  if (columns === undefined) expect(text).toBe(stripVTControlCharacters(text));
  else expect(text).not.toBe(stripVTControlCharacters(text));
  return stripVTControlCharacters(text).trimEnd().split("\n");
}

const post = (path: string, body: object = {}) => ask("post", `${url}/_sandbox/${path}`, {}, body);

it("a request is a line, and a rejected one shows the reason", async () => {
  const lines = await viewOn(undefined, () => fetch(`${url}/v1/me?a=1`), /v1\/me/);
  expect(lines).toEqual([
    "2030-06-01 (UTC)",
    expect.stringMatching(/^09:00:00Z {2}401 +[\d.]+ ms {2}req-\w+-\d+ +GET +\/v1\/me$/),
    expect.stringMatching(/^ {10}UNAUTHORIZED There is no bearer token\. .*$/),
  ]);
});

it.each([60, 80, 120])("lines are wrapped between words on a terminal of %i columns", async (columns) => {
  const path = "/v1/nothing-here/with-a-long-name-that-goes-on-and-on-and-on/until-the-line-is-full-of-it/twice-over";
  const work = async () => {
    for (const each of [path, `/東京都千代田区/${encodeURIComponent("é")}`, "/v1/me"]) await fetch(`${url}${each}`);
    await post("acts/cancelBooking", { booking_id: "東京都千代田区".repeat(12) });
    await post("trigger", { kind: "v1.marketing_consent.created" });
    await post("clock/advance", { by: "PT1S" });
  };
  const lines = await viewOn(columns, work, /clock/);
  for (const line of lines.filter((each) => measureWidth(each) > columns)) expect(line.trim()).not.toContain(" ");
  const entries = lines
    .join("\n")
    .replaceAll(/\n {4}/g, " ")
    .split("\n");
  expect(entries).toHaveLength(7);
  expect(entries[1]).toMatch(/404 .*GET +\/v1\/nothing-here\/.*\/twice-over +NOT_FOUND/);
  expect(entries[4]).toMatch(/act {2}cancelBooking +rejected: NOT_FOUND There /);
  expect(entries[5]).toMatch(/act {2}trigger v1\.marketing_consent\.created +/);
  expect(entries[6]).toMatch(/clock {2}2030-06-01T09:00:0\d\.000Z/);
});

it("attempts of deliveries are shown, and requests of the sandbox's own tools are not", async () => {
  const client = createClient(readOptions(clientOptions, { url: [url] }, {}));
  let remove = async () => {};
  const work = async () => {
    ({ remove } = await subscribe(client, "http://127.0.0.1:4/", ["v1.event.created"]));
    for (const path of ["/healthz", "/readyz", "/favicon.ico", "/_sandbox/clock"]) await fetch(`${url}${path}`);
    await post("trigger", { kind: "v1.event.created" });
  };
  const lines = await viewOn(undefined, work, /→/);
  await remove();
  expect(lines).toEqual([
    "2030-06-01 (UTC)",
    expect.stringMatching(/act {2}trigger v1\.event\.created {2}event\.created \w+/),
    expect.stringMatching(
      /--- .*→ v1\.event\.created {2}Nothing listens .*; next attempt (?:when the clock moves to )?09:00:0\dZ {2}http:\/\/127\.0\.0\.1:4\//,
    ),
  ]);
});

it("a start without --webhook-url keeps the subscription of an earlier start, and shows it", async () => {
  const data = join(makeTempFolder(), "world.json");
  const first = await boot({ ...defaults, data, webhookUrl: "http://127.0.0.1:4/" });
  await first.close();
  const again = await boot({ ...defaults, data });
  const { announcement } = again.introduction;
  const view = formatBanner(again, { ...defaults, data }, { paint: (_, text) => text });
  const response = await fetch(`${announcement.control_url}/worlds/default/credentials`);
  const { webhook_secret } = (await response.json()) as { webhook_secret: string };
  await again.close();
  expect(view).toMatch(/Webhooks +http:\/\/127\.0\.0\.1:4\/ \(every kind\)\n/);
  const { webhook_secret: made } = first.introduction.announcement;
  expect(made).toMatch(/^whsec_/);
  expect([announcement.webhook_secret, webhook_secret]).toEqual([made, made]);
});

it("a start after two with different --webhook-url says whose secret it shows", async () => {
  const data = join(makeTempFolder(), "world.json");
  for (const webhookUrl of ["http://127.0.0.1:4/one", "http://127.0.0.1:4/two"])
    await (await boot({ ...defaults, data, webhookUrl })).close();
  const again = await boot({ ...defaults, data });
  const view = formatBanner(again, defaults, { paint: (_, text) => text });
  await again.close();
  expect(view).toMatch(/Signing secret +whsec_\S+ \(of http:\/\/127\.0\.0\.1:4\/two\)\n/);
});

it("lines of another world name it", async () => {
  await post("worlds", { id: "other", clock: "2031-01-01T00:00:00Z" });
  const lines = await viewOn(undefined, () => post("clock/advance?world=other", { by: "PT1S" }), /clock/);
  expect(lines).toEqual(["2031-01-01 (UTC)  [other]", expect.stringMatching(/^00:00:01Z {2}clock .* {2}\[other\]$/)]);
});

it("a slow reader misses lines and is told how many, and nothing waits for it", async () => {
  const written: string[] = [];
  let unread = 0;
  const lines = makeLineBuffer({
    write: (text: string) => {
      written.push(text);
      unread += text.length;
    },
    get unread() {
      return unread;
    },
  });
  for (let count = 0; count < 10; count++) {
    for (let line = 0; line < 1000; line++) lines.add("x".repeat(99));
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(written.join("").length).toBeLessThan(512 * 1024);
  unread = 0;
  await lines.end();
  const [, shown = "", note = ""] = /^((?:x+\n)+)(.*)\n$/.exec(written.join("")) ?? [];
  const leftOut = 10_000 - shown.split("\n").length + 1;
  expect(note).toBe(`… ${leftOut} lines skipped: stdout was read too slowly.`);
  lines.add("and on it goes");
  await lines.end();
  expect(written.at(-1)).toBe("and on it goes\n");
});

it("a rewind that undoes nothing lists nothing", async () => {
  const [, line] = await viewOn(undefined, () => post("rewind", { to: "now" }), /rewind/);
  expect(line).toMatch(/ world {2}rewind {2}to \d+, named now, undone 0, records 0, was \d+ {2}wld-\S+$/);
});
