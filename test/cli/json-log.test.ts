// `start --log json`: one JSON object per line with the data that operators need, and without secrets.
import { expect, it } from "vitest";
import { ask } from "../ask.ts";
import { startLocalServer } from "../local-server.ts";
import { run, startSandboxCommand } from "./run-sandbox.ts";

type Line = { time: string; level: string; event: string; [field: string]: unknown };

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const SECRET = "hidden-in-the-query";

it("The JSON log has start, requests, deliveries, warnings and stop", async () => {
  const webhook = ["--webhook-url", `http://127.0.0.1:9/${SECRET}?key=${SECRET}`];
  const server = startSandboxCommand(["start", "--memory", "--port", "0", "--log", "json", "--json", ...webhook]);
  const known = JSON.parse(
    (await server.shows("}\n")).split("\n").find((line) => line.includes("client_secret")) ?? "",
  );
  await server.shows('"event":"started"');
  const { url: audience, client_id, client_secret } = known;
  const form = { grant_type: "client_credentials", audience, client_id, client_secret };
  const answer = await ask("post", `${known.token_url}?secret=${SECRET}`, {}, new URLSearchParams(form).toString());
  const { access_token } = answer.body;
  await fetch(`${known.url}/v1/bookings`, { headers: { authorization: `Bearer ${access_token}` } });
  await fetch(`${known.url}/healthz`);
  await ask("post", `${known.control_url}/trigger`, {}, { kind: "v1.booking.created" });
  await server.shows('"event":"delivery"');
  const { code, stdout, stderr } = await server.stop();
  expect([code, stdout.trimEnd().split("\n").length]).toEqual([0, 1]);
  const lines = linesOf(stderr);
  for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  expect(lines[0]).toMatchObject({ level: "info", event: "started", url: known.url, pid: known.pid });
  expect(lines.slice(-2).map(({ event, signal }) => [event, signal])).toEqual([
    ["stopping", "SIGTERM"],
    ["stopped", undefined],
  ]);
  const requests = lines.filter(({ event }) => event === "request");
  expect(requests.map(({ operation, path, status }) => [operation, path, status])).toEqual([
    ["createToken", "/oauth2/token", 200],
    ["listBookings", "/v1/bookings", 200],
    ["triggerKind", "/_sandbox/trigger", 200],
  ]);
  expect(requests[1]).toMatchObject({ id: expect.stringMatching(/^req-/), world: "default", ms: expect.any(Number) });
  expect(lines.find(({ event }) => event === "delivery")).toMatchObject({
    level: "warning",
    world: "default",
    to: "127.0.0.1:9",
    outcome: "unreachable",
    attempt: 1,
  });
  for (const secret of [SECRET, access_token, known.client_secret, known.control_token])
    expect([secret, stderr.includes(secret)]).toEqual([secret, false]);
});

it("A failed start is in the log too", async () => {
  const other = await startLocalServer(() => undefined);
  const { port } = new URL(other.url);
  const { code, stdout, stderr } = await run(["start", "--memory", "--port", port, "--log", "json"]);
  other.close();
  expect(code).toBe(1);
  const words = `Port ${port} on 127.0.0.1 is in use`;
  expect(linesOf(stdout)).toEqual([
    expect.objectContaining({ level: "error", event: "failed", message: expect.stringContaining(words) }),
  ]);
  expect(stderr).toContain(words);
});

it("Formats other than text and JSON are rejected", async () => {
  const { code, stderr } = await run(["start", "--log", "jsno"]);
  expect([code, stderr.trim()]).toEqual([2, "--log is jsno. Did you mean json? It takes text or json."]);
});
