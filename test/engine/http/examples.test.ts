// The examples of the served specification are of harbour-tours, and work there: whoever imports the document and sends them all
// gets the success of each.
import { beforeAll, expect, it } from "vitest";
import { Documented, type Played } from "../../documented.ts";
import { openSandbox, shareSandbox } from "../../sandbox.ts";
import { send } from "./http-kit.ts";

const sandbox = shareSandbox();
let document: Documented;
let played: Played[];
beforeAll(async () => {
  document = new Documented((await send(sandbox, "/openapi.json")).body);
  const world = await sandbox.world();
  const own = { client_id: world.clientId, client_secret: world.clientSecret };
  played = await document.play(sandbox.url, await world.token(), own);
});

it("Every example of every operation gets a documented success in a new world", () => {
  const failed = played.filter(({ status }) => status >= 400);
  expect(failed.map(({ what, status, body }) => `${what} answered ${status} ${JSON.stringify(body)}`)).toEqual([]);
  expect(played.flatMap((each) => document.problemsOf(each.operationId, each))).toEqual([]);
  expect(new Set(played.map(({ operationId }) => operationId)).size).toBe([...document.operations()].length);
});

it("Requests of the examples find data: no list is empty without a reason", () => {
  expect(emptyLists(played)).toEqual(["listOrderRefunds", "listWebhookSubscriptions"]);
});

it("The examples work in a world of another day at any hour", async () => {
  const hours = ["00:30:00", "07:30:00", "11:00:00", "22:30:00"];
  for (const hour of hours) {
    const later = await openSandbox({ clock: `2026-11-22T${hour}.000Z` });
    const world = await later.world();
    const own = { client_id: world.clientId, client_secret: world.clientSecret };
    const answers = await new Documented((await send(later, "/openapi.json")).body).play(
      later.url,
      await world.token(),
      own,
    );
    expect(answers.filter(({ status }) => status >= 400).map(({ what, body }) => [hour, what, body])).toEqual([]);
    expect(emptyLists(answers)).toEqual(["listOrderRefunds", "listWebhookSubscriptions"]);
    await later.close();
  }
});

const emptyLists = (answers: readonly Played[]) =>
  answers
    .filter(({ body }) => (body as { items?: unknown[] } | undefined)?.items?.length === 0)
    .map(({ operationId }) => operationId);
