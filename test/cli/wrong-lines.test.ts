// Wrong command lines against a running sandbox: each prints one sentence that names options, and exits with the right code. With --json, stdout
// has one document too. There is no stack trace, no path of the control API and no field of a request.
import { describe, expect, it } from "vitest";
import { runHere, sandboxOfTests } from "./in-process.ts";

const at = sandboxOfTests();

/** Words are separated by two blanks where one word holds a blank. */
const wordsOf = (line: string) => line.split(line.includes("  ") ? "  " : " ");

const LINES: readonly (readonly [line: string, exit: 1 | 2, words: string])[] = [
  ["inti", 2, "sandbox has no command inti."],
  ["ui", 2, "sandbox has no command ui. `sandbox --help` lists them."],
  ["snapshit", 2, "Did you mean snapshot?"],
  ["messages", 2, "`sandbox messages` was removed. Use `sandbox logs --messages`."],
  ["history bkg-evening", 2, "`sandbox history` was removed. Use `sandbox logs --changes`."],
  ["replay req-1 --set a=1", 2, "`sandbox replay` was removed. Use `sandbox resend REQUEST`."],
  ["shrink a.yaml", 2, "`sandbox shrink` was removed. Use `sandbox play --shrink`."],
  ["whoami", 2, "`sandbox whoami` was removed. Use `sandbox login`."],
  ["books order 1001", 2, "`sandbox books order` was removed. Use `sandbox show ORDER`."],
  ["books --against mine.csv", 2, "was removed. Use `sandbox books compare FILE`."],
  ["logs req-1", 2, "The argument of `sandbox logs` was removed. Use `sandbox show ID`."],
  ["logs --messages --follow", 2, "--messages does not take --follow."],
  ["logs --changes --kinds act", 2, "--changes does not take --kinds."],
  ["populate --bookings 5", 2, "`sandbox populate` was removed. Use `sandbox world populate`."],
  ["state export", 2, "`sandbox state` was removed. Use `sandbox world`."],
  ["fault arm getMe --status 503", 2, "`sandbox fault arm` was removed. Use `sandbox fault add`."],
  ["snapshot rm x", 2, "`sandbox snapshot rm` was removed. Use `sandbox snapshot remove`."],
  ["certify", 2, "was removed. Use `sandbox check --profile NAME --report html=FILE`."],
  ["certificates list", 2, "was removed. Use `sandbox check --profile NAME --report html=FILE`."],
  ["export postman x", 2, "`sandbox export` was removed. Use /openapi.json, which every tool imports."],
  ["start --certificate-key x", 2, "`sandbox start --certificate-key` was removed. Leave it out."],
  ["asume", 2, "Did you mean assume?"],
  ["start --maturity alpha", 2, "--maturity is alpha. It takes preview or production."],
  ["start --port abc", 2, "--port is abc, which is not a number."],
  ["start --assume foo=bar", 2, "There is no assumption foo. `sandbox assume` lists them."],
  ["start --assume signature-text", 2, "which is not id=value"],
  [
    "clock advance -P1D",
    2,
    "A clock only moves forward. `sandbox rewind` restores a point in time that `sandbox logs --changes` lists.",
  ],
  ["clock advance tomorrow", 2, "tomorrow is not a duration."],
  ["clock set 2020-01-01T00:00:00Z", 1, "To go back, run `sandbox rewind 2020-01-01T00:00:00Z`."],
  ["clock set 2020-01-01", 2, 'Invalid instant "2020-01-01". Use 2020-01-01T09:00:00Z.'],
  ["clock --world berlin", 1, "There is no world berlin. `sandbox world list` lists them."],
  ["clock --world æble", 1, "There is no world æble. `sandbox world list` lists them."],
  ["call listEvents --world berlin", 1, "There is no world berlin. `sandbox world list` lists them."],
  ["act cancelBooking", 2, "--set booking_id: a value is required."],
  ["act cancelBooking --set bookingid=b", 2, "found 'bookingid' instead of 'booking_id'."],
  ["act cancelBooking --set booking_id=3", 2, "--set booking_id: must be string; it is 3."],
  ["act cancelBooking --set booking_id", 2, "--set is booking_id, which is not path=value."],
  ["act cancelBooking --data [1]", 2, "--data is [1], which is not a JSON object."],
  ["act cancelBooking --data @nowhere.json", 2, "--data @nowhere.json can't be read"],
  ["act cancelBooking --set booking_id=bkg-1", 1, "There is no booking bkg-1."],
  ["act lockEvent --set event_id=evt-cancelled --set booking_id=bkg-1", 1, "There is no"],
  ["act unlockEvent --set event_id=evt-evening", 1, "EVENT_NOT_LOCKED: Event evt-evening is not locked"],
  ["act nope", 1, "There is no act nope. `sandbox act --list` lists them."],
  ["trigger v1.nothing", 2, "there is no kind v1.nothing."],
  ["snapshot  save  a b", 2, "<name>: must be a name of at most 64 letters, digits and any of . _ -"],
  ["snapshot load nope", 1, "has no snapshot nope"],
  ["show req-nope", 1, "req-nope"],
  ["logs --filter-status ok", 2, "--filter-status: must be a status such as 404"],
  ["show msg_nope", 1, "msg_nope"],
  ["logs --messages --filter-status lost", 2, "--filter-status: must be equal to one of the allowed values: pending"],
  ["resend msg_nope", 1, "There is no message msg_nope. `sandbox logs --messages` lists them."],
  ["resend", 2, "Give the id of a message (`sandbox logs --messages`) or of a request (`sandbox logs`)"],
  ["call getBooking", 2, "getBooking needs bookingId: --set bookingId=…"],
  ["call listBookings --set limt=3", 2, "listBookings takes no limt. Did you mean limit?"],
  ["call getBookin", 2, "Did you mean getBooking?"],
  ["assume nope", 2, "There is no assumption nope. `sandbox assume` lists them."],
  ["assume signature-text=v9", 2, "The assumption signature-text can't be v9. It takes: bare, v1."],
  ["fault add nope --status 503", 2, "<operation>: there is no operation nope that a fault can hit."],
  [
    "fault add getOpenIdConfiguration --status 503",
    2,
    "<operation>: there is no operation getOpenIdConfiguration that a fault can hit.",
  ],
  ["logs --filter-operation nope", 2, "--filter-operation: there is no operation nope."],
  ["fault add getMe --code ODD", 2, "it is needed here, since the service has no code ODD"],
  ["world remove default", 1, "The default world can't be removed. Reset it instead."],
  ["world create a/b", 2, "<id>: must be"],
  ["world import nowhere.json", 2, "nowhere.json can't be read"],
  ["env --url ftp://x", 2, "which is not a plain http address"],
  [
    "env --url 127.0.0.1:4203",
    2,
    "--url is 127.0.0.1:4203, which is not a plain http address. Write it as http://127.0.0.1:4203.",
  ],
  [
    "env --url http://me:word@127.0.0.1:4203",
    2,
    "which is not a plain http address. Write it as http://127.0.0.1:4203.",
  ],
  ["env --url http://127.0.0.1:4", 1, "(ECONNREFUSED). Start one with `sandbox start`"],
  [
    "listen --forward-to /hook",
    2,
    "--forward-to is /hook, which is not the address of a receiver. Write it as http://localhost:3000/hook.",
  ],
  ["listen --forward-to ftp://localhost/hook", 2, "Write it as http://localhost:3000/hook."],
  [
    "call listBookings --as bookng.read",
    2,
    "--as: the key Integration was not granted the scope bookng.read. It has: openid booking.read",
  ],
  ["clock set 2030-06-01T10:00:00+0200", 2, 'Invalid instant "2030-06-01T10:00:00+0200". Use 2030-06-01T09:00:00Z.'],
  ["strat", 2, "Did you mean start?"],
  ["start --prot 1", 2, "Did you mean --port?"],
  ["start --port", 2, "--port needs a value: --port <N>."],
  ["start now", 2, "sandbox start does not take now."],
  ["start --fixture harbor-tours", 2, "Did you mean harbour-tours?"],
  ["start --fixture ./nowhere", 2, "there is no such folder."],
  ["start --assume signature-text=v2", 2, "It takes: bare, v1."],
  [
    "start --cors localhost:3000",
    2,
    "--cors is localhost:3000, which is not an origin. Write it as http://localhost:3000",
  ],
  ["clock advance", 2, "Missing argument <duration>. Usage: sandbox clock advance"],
  ["clock set +012029-06-01T09:00:00Z", 2, "Use 2030-06-01T09:00:00Z."],
  ["act", 2, "Name an act"],
  ["listen --events v1.event", 2, "Did you mean v1.event."],
  ["fault add createBooking --status 200", 2, "--status: must be >= 400; it is 200."],
  ["fault add createBooking --connection rest", 2, "Did you mean reset?"],
  [
    "fault add createBooking --status 503 --method gett",
    2,
    "--method: must be equal to one of the allowed values: GET",
  ],
  ["fault add createBooking --status 503 --share 2", 2, "--share: must be <= 1; it is 2."],
  ["fault add getMe --status 503 --late 5", 2, "--delivery: a value is required."],
  ["fault add createBooking --status 503 --times 0", 2, "--times: must be >= 1; it is 0."],
  ["fault add", 2, "This fault has no effect. Give it one, such as --status 503"],
  ["fault add getMe --delivery drop", 2, "<operation>: a fault of deliveries hits no requests. Remove this field"],
  ["fault add --delivery dorp", 2, "Did you mean drop?"],
  ["snapshot load", 2, "Missing argument <name>."],
  ["world fork --count 0", 2, "--count: must be >= 1; it is 0."],
  ["validate nowhere", 2, "There is no nowhere."],
  ["play nowhere", 2, "There is no nowhere."],
  ["record x.yaml --until 5", 2, "--until requires --since"],
  ["env --url http://192.0.2.1:9", 1, "No sandbox responds at http://192.0.2.1:9 (bad port)."],
  ["wait --timeout 0.2 --url http://127.0.0.1:4", 1, "No sandbox answered at http://127.0.0.1:4 within 0.2 s."],
  ["fault add getMe --status 503 --world nope", 1, "There is no world nope."],
  ["call", 2, "Name an operation"],
  ["call createBooking --data @nowhere.json", 2, "Name a file of JSON as @file, or stdin as @-."],
  ["call createBooking --data -", 2, "--data is -, which is not a JSON object."],
  ["exec", 2, "Missing argument <command>. Usage: sandbox exec [options] <command...>"],
  ["why  ", 2, "The argument <id> is empty. Give it a value, or leave it out."],
  ["snapshot  save  ", 2, "The argument <name> is empty. Give it a value, or leave it out."],
  ["show  ", 2, "The argument <id> is empty."],
  ["env  ", 2, "sandbox env does not take an empty word."],
  ["exec  --  ", 2, "The argument <command> is empty."],
  ["check  explain  ", 2, "The argument <check> is empty. Give it a value, or leave it out."],
];

const WORDS_OF_HTTP = /_sandbox|\b(GET|PUT|POST|DELETE) \/|\b(body|path|query)\.\w|\bbody must\b| {4}at /;

describe("Wrong usage, in the words of the command line:", () => {
  it.each(LINES)("sandbox %s", async (line, exit, words) => {
    const { code, stdout, stderr } = await runHere(wordsOf(line), at);
    expect([code, stdout]).toEqual([exit, ""]);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(WORDS_OF_HTTP);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it.each(LINES.filter(([line]) => !/^(inti|ui|snapshit|asume|strat)$|^exec|^check/.test(line)))(
    "sandbox %s --json",
    async (line, exit) => {
      const { code, stdout, stderr } = await runHere([...wordsOf(line), "--json"], at);
      const { error } = JSON.parse(stdout);
      expect([code, stdout.trim().split("\n").length]).toEqual([exit, 1]);
      expect(error.code).toMatch(/^[A-Z_]+$/);
      expect(stderr).toContain(error.message);
    },
  );
});
