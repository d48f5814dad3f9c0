// `start --log json`: one JSON object per line with the data that operators need, and without secrets.
import { createServer } from "node:net";
import { expect, it } from "vitest";
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
  const form = {
    grant_type: "client_credentials",
    audience: known.url,
    client_id: known.client_id,
    client_secret: known.client_secret,
  };
  const answer = await fetch(`${known.token_url}?secret=${SECRET}`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  await fetch(`${known.url}/v1/bookings`, { headers: { authorization: `Bearer ${access_token}` } });
  await fetch(`${known.url}/healthz`);
  await fetch(`${known.control_url}/trigger`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ kind: "v1.booking.created" }),
  });
  await server.shows('"event":"delivery"');
  server.child.kill("SIGTERM");
  const { code, stdout, stderr } = await server.ended;
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
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  const { code, stdout, stderr } = await run(["start", "--memory", "--port", String(port), "--log", "json"]);
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
