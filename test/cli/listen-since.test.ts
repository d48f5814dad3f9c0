// `listen --since`: receives earlier messages first, oldest first, then live ones, and no message twice.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Sandbox, startSandbox, type World } from "../../src/index.ts";
import { book, CLOCK } from "../library/works-anywhere.ts";
import { startLocalServer } from "../local-server.ts";
import { runHere } from "./in-process.ts";
import { run } from "./run-sandbox.ts";

let sandbox: Sandbox;
let world: World;
/** The ids of the messages that the receiver got, in order. */
const received: string[] = [];
const receiver = await startLocalServer((request, response) => {
  received.push(String(request.headers["webhook-id"]));
  response.writeHead(204).end();
});

beforeAll(async () => {
  sandbox = await startSandbox({ fixture: "harbour-tours", clock: CLOCK });
});
afterAll(async () => {
  await sandbox.close();
  receiver.close();
});
beforeEach(async () => {
  received.length = 0;
  world = await sandbox.world();
});

const ids = async () => (await world.webhooks.all("v1.booking.created")).map(({ id }) => id);

function listen(...options: string[]) {
  const words = ["listen", "--url", sandbox.url, "--world", world.id, "--events", "v1.booking.created"];
  return runHere([...words, "--forward-to", receiver.url, ...options]);
}

/** Ends what listens in this process. */
const stop = () => process.emit("SIGTERM", "SIGTERM");

it.each(["PT10M", "P3D", CLOCK, "a change number"])(
  "shows earlier messages and then live ones since %s",
  async (text) => {
    await world.clock.advance("PT1H");
    await book(world);
    const point = String((await world.log({ limit: 1 })).at(-1)?.seq);
    if (text !== "a change number") {
      await world.clock.advance("PT5M");
      await book(world);
    } else {
      await book(world);
      await book(world);
    }
    const earlier = (await ids()).slice(text === "a change number" ? 1 : 0);
    const listening = listen("--since", text === "a change number" ? point : text);
    await expect.poll(() => received).toEqual(earlier);
    await book(world);
    const live = (await ids()).at(-1);
    await expect.poll(() => received).toEqual([...earlier, live]);
    stop();
    const { code, stdout } = await listening;
    expect(code).toBe(0);
    expect(stdout.match(/verified/g)).toHaveLength(earlier.length + 1);
    expect(stdout).not.toContain("again");
  },
);

it.each([
  ["yesterday", "yesterday is not a point in time of world "],
  ["99999999", "99999999 is not used yet; the latest number is"],
  ["2031-01-01T00:00:00Z", "2031-01-01T00:00:00Z is in the future."],
  ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z is not kept: the history of world "],
])("rejects --since %s", async (text, sentence) => {
  const { code, stderr } = await listen("--since", text);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
  expect(received).toEqual([]);
});

it("ends the process if it rejects --since", async () => {
  const { code, stdout } = await run(["listen", "--url", sandbox.url, "--since", "yesterday"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});
