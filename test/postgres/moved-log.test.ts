// The log of requests stays on the node from which a world has moved: whoever looks for one of them is told since when there is one.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Postgres, postgresBin, startPostgres } from "./postgres-kit.ts";
import { OPERATOR, openShared, type Shared } from "./teams-kit.ts";

describe.skipIf(!postgresBin)("A world that has moved to another node", () => {
  let postgres: Postgres;
  let nodes: [Shared, Shared];
  beforeAll(async () => {
    postgres = await startPostgres();
    const database = await postgres.newDatabase();
    nodes = [await openShared(database, { clock: undefined }), await openShared(database, { clock: undefined })];
  });
  afterAll(async () => {
    for (const { sandbox } of nodes ?? []) await sandbox.close();
    await postgres?.close();
  });

  it("says since when its log is there, where a request is looked for and where it is explained", async () => {
    const [one, other] = nodes;
    await one.ask(OPERATOR, "POST", "worlds", { id: "moved", fixture: "harbour-tours" });
    const requested = await one.ask(OPERATOR, "GET", "/v1/no-such-path?world=moved", undefined, {
      "sandbox-world": "moved",
    });
    expect(requested.status).toBeGreaterThanOrEqual(400);
    const { items } = (await one.ask(OPERATOR, "GET", "requests?world=moved")).body;
    const id = items.at(-1)?.id ?? requested.headers.get("sandbox-request-id");
    const { directory, worlds } = one.sandbox.running.application;
    // Once it knows of the other one, with its next heartbeat.
    const left = async () => {
      await directory?.release("moved");
      expect(worlds.get("moved")).toBeUndefined();
    };
    await vi.waitFor(left, { timeout: 30_000, interval: 50 });
    const looked = await other.ask(OPERATOR, "GET", `requests/${id}?world=moved`);
    expect([looked.status, looked.body.message]).toEqual([
      404,
      expect.stringMatching(
        /^World moved has no request \S+ in its log\..* and began anew at \S+Z, when this node opened/,
      ),
    ]);
    const why = await other.ask(OPERATOR, "GET", `why/${id}?world=moved`);
    expect([why.status, why.body.message]).toEqual([404, expect.stringContaining("this node opened the world")]);
  });
});
