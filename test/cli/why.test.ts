// `sandbox why`: the change comes before the basis, --apply sends it unchanged, and it is no longer offered once it fails.
import { expect, it } from "vitest";
import { runHere, sandboxOfTests } from "./in-process.ts";

const at = sandboxOfTests();

const run = (...words: string[]) => runHere(words, at);
const titles = (text: string) => text.match(/^ (smallest|path|rests|what to do|worked)/gm)?.map((each) => each.trim());
/** The rule takes only a later instant than the one in force, so the change is a second after that. */
const TOO_EARLY = "2030-01-01T00:00:00Z";
const extend = (...set: string[]) =>
  run("call", "extendGiftCardExpiry", "--set", "giftCardId=gc-active", "--set", `expires_at=${set[0]}`);

it("shows the working request first, and the sources only on request", async () => {
  expect((await extend(TOO_EARLY)).code).toBe(1);
  const reported = await run("why");
  expect(titles(reported.stdout)).toEqual(["smallest", "path"]);
  expect(reported.stdout).toMatch(/^ {3}expires_at="20\S+:01\.000Z"\n {3}sandbox why req-\w+-\d+ --apply$/m);
  expect(titles((await run("why", "--basis")).stdout)).toEqual(["smallest", "path", "rests"]);
});

it("sends the shown request with --apply, without a confirmation", async () => {
  expect((await extend(TOO_EARLY)).code).toBe(1);
  const sent = await run("why", "--apply");
  expect([sent.code, titles(sent.stderr)]).toEqual([0, ["smallest"]]);
  expect(sent.stderr).toMatch(
    /\n {3}expires_at="20\S+:01\.000Z"\n200 {2}req-\w+-\d+, instead of req-\w+-\d+\nTarget: world default at http:\S+\n$/,
  );
  expect(JSON.parse(sent.stdout)).toMatchObject({ id: "gc-active", expires_at: expect.stringMatching(/:01\.000Z$/) });
});

it("does not offer a request that no longer works, and sends it in a fork of that point in time", async () => {
  expect((await extend(TOO_EARLY)).code).toBe(1);
  const { id } = JSON.parse((await run("why", "--json")).stdout);
  expect((await run("act", "voidGiftCard", "--set", "gift_card_id=gc-active")).code).toBe(0);
  const reported = await run("why", id);
  expect(titles(reported.stdout)).toEqual(["worked", "path"]);
  expect(reported.stdout).toMatch(/^ {3}It no longer works now\.$/m);
  const [, fork = ""] = /^ {3}sandbox (world fork default --at \d+)$/m.exec(reported.stdout) ?? [];
  const refused = await run("why", id, "--apply");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^WORKED_THEN: .*That worked at 2030-06-01T09/),
  ]);
  const forked = await run(...fork.split(" "), "--json");
  expect(forked.code).toBe(0);
  expect(reported.stdout).toContain(`   sandbox why ${id} --apply --world <the fork>\n`);
  const [{ id: world }] = JSON.parse(forked.stdout).items;
  const sent = await run("why", id, "--apply", "--world", world);
  expect(sent.code, sent.stderr).toBe(0);
  expect(JSON.parse(sent.stdout)).toMatchObject({ id: "gc-active", expires_at: expect.stringMatching(/:02\.000Z$/) });
  expect((await run("why", id, "--apply")).code).toBe(1);
});

it("has nothing to apply if there is only advice", async () => {
  expect((await run("act", "unlockEvent", "--set", "event_id=evt-evening")).code).toBe(1);
  const log = await fetch(`${at.SANDBOX_URL}/_sandbox/log?kinds=act&failed=true&limit=1`);
  const [{ id }] = ((await log.json()) as { items: [{ id: string }] }).items;
  const { code, stderr } = await run("why", id, "--apply");
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^NOTHING_TO_APPLY: .*There is nothing to unlock/)]);
  const reported = JSON.parse((await run("why", id, "--json")).stdout);
  expect(reported.refusal.smallest).toEqual({ text: "There is nothing to unlock.", tried: false });
  expect(reported.notes).toEqual(["A person sent it from the console or the terminal."]);
  expect((await fetch(`${at.SANDBOX_URL}/v1/me`)).status).toBe(401);
  expect((await extend(TOO_EARLY)).code).toBe(1);
  const own = JSON.parse((await run("why", "--json")).stdout);
  expect([own.refusal.status, own.notes]).toEqual([
    401,
    [expect.stringMatching(/^req-\S+, which a person sent, was rejected later\.$/)],
  ]);
});

it.each(["var-adult", "add-blanket"])("explains %s by its experience", async (id) => {
  const { code, stdout } = await run("why", id);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${id} belongs to exp-canal in experiences.`)]);
});
