// The output for people: summaries, log lines, deliveries and the banner, in columns, with colours only on a terminal that supports them.
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { boot } from "../../src/cli/boot.ts";
import { formatReceived } from "../../src/cli/commands/listen.ts";
import { formatReceipt } from "../../src/cli/terminal/facts.ts";
import { formatBanner, formatCurl } from "../../src/cli/terminal/introduction.ts";
import { formatLogEntry } from "../../src/cli/terminal/log-line.ts";
import { formatMessage, formatMessages } from "../../src/cli/terminal/message-view.ts";
import { fitText, makeTerminal, shouldUseColour, wrap } from "../../src/cli/terminal/terminal.ts";
import type { Schemas } from "../../src/client/control.ts";
import type { FactName } from "../../src/engine/domain/kernel/facts.ts";
import { defaults } from "../../src/engine/settings.ts";
import { toCommand } from "../../src/platform/shell-quoted.ts";

const paint = (_: unknown, text: string) => text;
const look = { paint };

describe("The greeting", () => {
  async function greet(settings: object = {}) {
    const chosen = { ...defaults, ...settings };
    const running = await boot(chosen);
    const { announcement } = running.introduction;
    const text = formatBanner(running, chosen, look);
    await running.close();
    return { text, announcement };
  }

  it("shows all settings and addresses, and the control token only if it is needed", async () => {
    const { text, announcement } = await greet();
    const { url, token_url, client_id, client_secret, control_url, control_token, now } = announcement;
    const known = [url, token_url, client_id, client_secret, control_url, now];
    for (const value of [...known, "harbour-tours", "76 events", "preview", "in memory"]) expect(text).toContain(value);
    for (const absent of ["Assumed", "Rate limit", "Retries", "Webhooks", control_token])
      expect(text).not.toContain(absent);
    const exposed = await greet({ host: "0.0.0.0" });
    expect(exposed.text).toContain(exposed.announcement.control_token);
  });

  it("has a command to paste, which is not wrapped", async () => {
    const { announcement } = await greet();
    const secret = { ...announcement, client_secret: "~a-secret~with'quotes" };
    const stub = `curl() { for word in "$@"; do printf '<%s>' "$word"; done; }\n${fitText(formatCurl(secret), 40)}`;
    const ran = execFileSync("sh", ["-c", stub], { encoding: "utf8" });
    expect(ran).toMatch(/^<-s><http.*limit=1><-H><Authorization: Bearer <-s><http.*token><-d>.*>>$/);
  });

  it("shows active settings besides the defaults", async () => {
    const webhooks = { webhookUrl: "http://127.0.0.1:4/hook", webhookEvents: ["v1.event.created", "v1.event.updated"] };
    const settings = { ...webhooks, assume: { tickets: "per-booking" }, rateLimit: 60, retry: "fast" };
    const { text } = await greet(settings);
    expect(text).toMatch(/Webhooks +http:\/\/127\.0\.0\.1:4\/hook \(2 kinds\)\n/);
    for (const row of [/Assumed +tickets=per-booking\n/, /Rate limit +60\/min .*\n/, /Retries +fast .*\n/])
      expect(text).toMatch(row);
  });
});

describe("A line that is too long for the terminal", () => {
  const printed = (columns: number, text: string) => {
    const written: string[] = [];
    const stderr = { write: (piece: string) => written.push(piece) > 0, isTTY: true, columns } as never;
    makeTerminal({} as never, stderr, {}).say(text);
    return written.join("").split("\n").slice(0, -1);
  };

  it("is wrapped if it is a sentence for people on a terminal, and nowhere else", () => {
    const text = "sandbox act does not take booking_id=nope. Write it as sandbox act [options] [act].";
    expect(printed(60, text)).toEqual([
      "sandbox act does not take booking_id=nope. Write it as",
      "    sandbox act [options] [act].",
    ]);
    expect(printed(120, text)).toEqual([text]);
    const piped: string[] = [];
    makeTerminal({} as never, { write: (piece: string) => piped.push(piece) > 0 } as never, {}).say(text);
    expect(piped).toEqual([`${text}\n`]);
  });

  it("keeps commands and addresses unwrapped", () => {
    expect(wrap("No message yet: `sandbox trigger v1.booking.created` causes one.", 40)).toEqual([
      "No message yet:",
      "`sandbox trigger v1.booking.created`",
      "causes one.",
    ]);
    expect(wrap("See http://127.0.0.1:4010/_sandbox/ui/story/req-1 for it.", 20)).toEqual([
      "See",
      "http://127.0.0.1:4010/_sandbox/ui/story/req-1",
      "for it.",
    ]);
  });

  it("wraps JSON only where this changes nothing", () => {
    const items = [
      { type_id: "var-adult", quantity: 2 },
      { type_id: "add-blanket", quantity: 1 },
    ];
    const lines = wrap(JSON.stringify(items), 40);
    expect(lines.map((line) => line.length <= 40)).toEqual([true, true]);
    expect(JSON.parse(lines.join("\n"))).toEqual(items);
  });
});

describe("A summary", () => {
  const line = (at: string, what: Schemas["ReceiptLine"]["what"], id: string, ...facts: FactName[]) => ({
    at,
    what,
    id,
    facts: facts.map((fact, index) => ({ fact, id: index === 0 ? id : `ent-${index}` })),
  });

  const counts = { due: 2, deliveries: 1 };

  it("shows causes and effects", () => {
    const receipt = [
      line(
        "2030-06-01T19:00:00.000Z",
        "eventCompleted",
        "evt-1",
        "event.completed",
        "journal_entry.created",
        "journal_entry.created",
      ),
      line("2030-06-02T22:00:00.000Z", "giftCardExpired", "gc-1", "gift_card.expired"),
    ];
    expect(formatReceipt({ now: "2030-06-03T09:00:00.000Z", counts, receipt }, false, look).split("\n")).toEqual([
      "2030-06-01 19:00:00  event completed    evt-1  2 journal entries created",
      "2030-06-02 22:00:00  gift card expired  gc-1",
      "It is 2030-06-03T09:00:00.000Z: 2 due, 1 delivery.",
    ]);
  });

  it("can be empty or a preview", () => {
    const nothing = { due: 0, deliveries: 0 };
    const moved = { now: "2030-06-03T09:00:00.000Z", mode: "held" as const, counts: nothing, receipt: [] };
    expect(formatReceipt(moved, false, look)).toBe("It is 2030-06-03T09:00:00.000Z, held: nothing due.");
    expect(formatReceipt(moved, true, look)).toBe("It would be 2030-06-03T09:00:00.000Z, held: nothing due.");
  });
});

it("A message shows why each attempt failed", () => {
  const error = "Nothing listens at 127.0.0.1:5451. Start the receiver, or correct the URL of the subscription.";
  const attempt = { at: "2030-06-01T09:00:00.000Z", duration_ms: 2, outcome: "UNREACHABLE", answer: null, error };
  const delivery = {
    url: "http://127.0.0.1:5451/hook",
    state: "GIVEN_UP",
    subscription_id: "sub-1",
    attempts: [attempt],
  };
  const message = { id: "msg_1", kind: "v1.event.created", created_at: attempt.at, caused_by: "req-1", body: null };
  const view = formatMessage({ ...message, deliveries: [delivery] } as never, look, { full: false });
  expect(view.split("\n").slice(-2)).toEqual(["  1. 2030-06-01T09:00:00.000Z  UNREACHABLE  2 ms", `     ${error}`]);
});

it("A list of messages shows the subject and the cause of each, and why it has not arrived", () => {
  const about = { collection: "bookings", id: "bkg-1", title: "Anna Holm · 2030-06-01 19:00 · Canal tour" };
  const attempt = { outcome: "UNREACHABLE", error: "connect ECONNREFUSED 127.0.0.1:5451" };
  const [sent, later] = ["2030-06-01T09:00:00.000Z", "2030-06-04T09:00:00.000Z"];
  const delivery = { state: "PENDING", url: "http://127.0.0.1:5451/hook", attempts: [attempt], next_attempt_at: later };
  const message = { id: "msg_1", kind: "v1.booking.created", about, caused_by: "req-1" };
  const messages = [
    { ...message, created_at: sent, deliveries: [] },
    { ...message, created_at: later, deliveries: [delivery] },
  ];
  expect(formatMessages(messages as unknown as Schemas["Message"][], look)).toEqual([
    `2030-06-01 09:00:00  msg_1  v1.booking.created  no subscriber  ${about.title}  by req-1`,
    `2030-06-04 09:00:00  msg_1  v1.booking.created  PENDING        ${about.title}  by req-1`,
    `    PENDING  ${delivery.url}  1 attempt: ${attempt.error}; next attempt 09:00:00Z`,
  ]);
});

describe("A line", () => {
  it("of the journal shows what was wrong", () => {
    const violations = [{ location: ["body", "items", 0, "quantity"], code: "minimum", message: "must be >= 1" }];
    const logged = {
      seq: 1,
      kind: "request" as const,
      id: "req-1",
      at: "2030-06-01T09:00:00.000Z",
      wall_at: "2026-06-01T09:00:00.000Z",
      world: "default",
      test: null,
      client_id: null,
      user_agent: "",
      code: null,
      message: null,
      method: "POST",
      path: "/v1/bookings",
      operation: "createBooking",
      status: 400,
      duration_ms: 3.14,
      violations,
      notes: ["x"],
      request: { headers: {}, query: {}, body: null },
      answer: { headers: {}, body: {} },
      facts: [],
      fact_count: 0,
      messages: [],
      message_count: 0,
      touched: [],
      faults: [],
    };
    const lines = formatLogEntry(logged, look).split("\n");
    expect(lines[0]).toMatch(/^09:00:00Z {2}400 +3\.1 ms {2}req-1 +POST +\/v1\/bookings$/);
    expect(lines.slice(1)).toEqual(["          body.items.0.quantity: must be >= 1", "          x"]);
  });

  it("of a delivery has two lines", () => {
    const body = { timestamp: "2030-06-01T09:00:00.000000000Z", payload: { journal_entry_id: "f".repeat(32) } };
    const forwarded = { url: "http://127.0.0.1:3000", status: 200, duration_ms: 12.3 };
    const received = {
      id: `msg_${"f".repeat(32)}`,
      kind: "v1.journal_entry.document_attached",
      body,
      verified: true,
      forwarded,
    };
    const lines = formatReceived(received, true, { paint }).split("\n");
    expect(lines[0]).toBe("09:00:00Z  v1.journal_entry.document_attached  verified  → 200 12 ms");
    expect(lines[1]).toBe(`          journal_entry_id ${"f".repeat(32)}  again  msg_${"f".repeat(32)}`);
  });
});

describe("Text", () => {
  it("is wrapped between words", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
    expect(fitText("  one two three four\nfits", 14).split("\n")).toEqual([
      "  one two",
      "      three",
      "      four",
      "fits",
    ]);
    expect(fitText("one  a-word-that-is-wider  two", 12).split("\n")).toEqual([
      "one",
      "    a-word-that-is-wider",
      "    two",
    ]);
    expect(fitText("a-word-that-is-wider", 8)).toBe("a-word-that-is-wider");
    expect(fitText("one two three", Number.POSITIVE_INFINITY)).toBe("one two three");
  });

  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
  ])("on a terminal (%s) with %j is coloured: %s", (isTTY, environment, coloured) => {
    expect(shouldUseColour({ isTTY }, environment)).toBe(coloured);
    const write = () => true;
    const terminal = makeTerminal({ write, isTTY, columns: 80 }, { write, isTTY, columns: 80 }, environment);
    expect(terminal.paint("red", "x") !== "x").toBe(coloured);
  });

  it("is a command that can be pasted, whatever words it contains", () => {
    const words = ["cat $HOME/`id`", "$(id)", 'a "b" c', "it's", "C:\\x", "!1", "*", "~", "", "a;b", "plain", "50%"];
    const command = toCommand(["printf", "%s\\n", ...words]);
    expect(execFileSync("sh", ["-c", command], { encoding: "utf8" })).toBe(`${words.join("\n")}\n`);
    // `cmd` of Windows knows double quotes only.
    expect(toCommand(["node", "my app.js", "--x=1"])).toBe('node "my app.js" --x=1');
  });
});
