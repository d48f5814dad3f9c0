// What a request or a delivery carries can't write into the terminal of whoever reads the logs: no colours, no cursor, no lines that
// never were.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BootResult, boot } from "../../src/cli/boot.ts";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { formatReceived } from "../../src/cli/commands/listen.ts";
import { makeTerminal } from "../../src/cli/terminal/terminal.ts";
import { defaults } from "../../src/engine/settings.ts";
import { rawRequest } from "../engine/http/http-kit.ts";

const EVIL = "\u001b[2J\u001b]0;title\u0007\r\n12:00:00  200 forged\u009b31m\u2028\u202egnp.exe\u0000\u007f";
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

let running: BootResult;
beforeAll(async () => {
  running = await boot({ ...defaults, fixture: "empty", clock: "2030-06-01T09:00:00Z" });
});
afterAll(() => running.close());

async function logged(...words: string[]): Promise<string> {
  let view = "";
  const write = (text: string) => {
    view += text;
    return true;
  };
  const stream = { write, isTTY: false, columns: 80 };
  const terminal = makeTerminal(stream as never, stream as never, {});
  await runCommandLine(["logs", "--url", running.introduction.announcement.url, ...words], {
    terminal,
    environment: {},
  });
  return view;
}

describe("`sandbox logs` escapes the text of a request", () => {
  beforeAll(async () => {
    const { url, client_id, client_secret } = running.introduction.announcement;
    const form = { grant_type: "client_credentials", audience: url, client_id, client_secret };
    const token = await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
    const { access_token } = (await token.json()) as { access_token: string };
    const evil = encodeURIComponent(EVIL);
    const headers = { authorization: `Bearer ${access_token}` };
    await fetch(`${url}/v1/me?${evil}=1`, { headers });
    await fetch(`${url}/v1/bookings/${evil}`, { headers });
    await fetch(`${url}/v1/bookings?status=${evil}&sort=${evil}`, { headers });
    const json = { ...headers, "content-type": "application/json" };
    await fetch(`${url}/v1/bookings`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ event_id: EVIL, [EVIL]: 1 }),
    });
    const wrong = { ...form, audience: EVIL, grant_type: EVIL };
    await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(wrong) });
    await rawRequest(url, "GET /v1/\u009b31m\u00ff");
  });

  it("in text", async () => {
    const text = await logged();
    expect(text.split("\n").length).toBeGreaterThan(8);
    expect(text).not.toMatch(CONTROLS);
    expect(text).not.toMatch(/^12:00:00 {2}200 forged/m);
    expect(text).toContain("\\u001b[2J");
  });

  it("as JSON, one document on one line", async () => {
    const text = await logged("--json");
    expect(text.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(text).items.length).toBeGreaterThan(4);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe("`sandbox listen` escapes the text of a message", () => {
  const terminal = { paint: (_: unknown, text: string) => text, width: 120 };
  const posted = { id: EVIL, kind: EVIL, verified: false, forwarded: null };

  it.each([
    ["in every member", { timestamp: `2030-06-01T${EVIL}`, payload: { [EVIL]: EVIL } }],
    ["of the wrong types", { timestamp: 5, payload: null }],
    ["that is no object", EVIL],
    ["that is nothing", null],
  ])("%s", (_, body) => {
    const line = formatReceived({ ...posted, body }, false, terminal as never);
    expect(line.split("\n")).toHaveLength(2);
    expect(line).not.toMatch(CONTROLS);
  });
});
