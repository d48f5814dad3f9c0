// The log of a world is in the database: another node shows, explains and rewinds what happened before the world moved to it.
import { describe, expect, it, vi } from "vitest";
import { postgresBin, queryRows } from "./postgres-kit.ts";
import { OPERATOR, openShared, type Shared, sharedOfTests } from "./teams-kit.ts";

describe.skipIf(!postgresBin)("The log of a world that has moved to another node", () => {
  const here = sharedOfTests({ clock: undefined }, 2);
  const twoNodes = () => here.nodes as [Shared, Shared];

  const control = async ({ ask }: Shared, method: string, path: string, body?: unknown) => {
    const response = await ask(OPERATOR, method, path, body);
    expect(`${path} ${response.status} ${response.status < 300 ? "" : response.body.message}`).toMatch(/ 2\d\d $/);
    return response.body;
  };
  /** Returns a function that sends a request which is rejected. */
  const prepareRejection = async (node: Shared, world: string) => {
    const input = { name: "Client", scopes: ["booking.read"] };
    const { client_id, client_secret } = (await control(node, "POST", `acts/createKey?world=${world}`, input)).result;
    const form = { grant_type: "client_credentials", audience: node.url, client_id, client_secret };
    const response = await fetch(`${node.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return () => node.ask(token, "GET", `/v1/no-such-path?padding=${"x".repeat(1000)}`);
  };
  /** Once the node knows of the other one, with its next heartbeat. */
  const leave = ({ sandbox }: Shared, world: string) => {
    const { directory, worlds } = sandbox.running.application;
    return vi.waitFor(
      async () => {
        await directory?.release(world);
        expect(worlds.get(world)).toBeUndefined();
      },
      { timeout: 30_000, interval: 50 },
    );
  };
  // First: the other node knows no number yet.
  it("does not continue in a team that is deleted and created again through another node", async () => {
    const [one, other] = twoNodes();
    const create = (node: Shared) => control(node, "POST", "teams", { id: "again" });
    await create(one);
    for (const name of ["a", "b", "c"])
      await control(one, "POST", "acts/createKey?world=again", { name, scopes: ["booking.read"] });
    const { items } = await control(one, "GET", "history?world=again");
    await control(one, "DELETE", "teams/again");
    await create(other);
    const { kept } = await control(other, "GET", "history?world=again");
    expect(kept.began.seq).toBeGreaterThan(items.at(-1).seq);
  });

  it("has its changes, acts and rejected requests, explains them, and can be rewound", async () => {
    const [one, other] = twoNodes();
    await control(one, "POST", "worlds", { id: "moved", fixture: "harbour-tours" });
    const reject = await prepareRejection(one, "moved");
    for (const voided of ["gc-soon", "gc-yen"])
      await control(one, "POST", "acts/voidGiftCard?world=moved", { gift_card_id: voided });
    await control(one, "PUT", "snapshots/saved?world=moved");
    await control(one, "POST", "clock/advance?world=moved", { by: "PT1H" });
    expect((await reject()).status).toBeGreaterThanOrEqual(400);
    const read = async (node: Shared) => ({
      log: await control(node, "GET", "log?world=moved"),
      history: await control(node, "GET", "history?world=moved"),
      diff: (await control(node, "GET", "diff?world=moved&from=saved&to=now")).changes,
    });
    const known = await read(one);
    const rejected = (await control(one, "GET", "requests?world=moved")).items.at(-1);
    expect(rejected.status).toBeGreaterThanOrEqual(400);
    await leave(one, "moved");
    const moved = await read(other);
    expect(moved).toEqual(known);
    expect(moved.history.kept).toMatchObject({ dropped: 0, began: { why: "created" } });
    expect(JSON.stringify(await control(other, "GET", `why/${rejected.id}?world=moved`))).toContain(rejected.id);

    const acts = moved.history.items.filter(({ cause }: { cause: { id: string } }) => cause.id.startsWith("act-"));
    const first = acts.at(-2);
    await control(other, "POST", "rewind?world=moved", { to: String(first.seq) });
    const since = await control(other, "GET", `diff?world=moved&from=${first.seq}&to=now`);
    const changed: string[] = since.changes.map(({ collection }: { collection: string }) => collection);
    expect(changed.filter((name) => name !== "clock")).toEqual([]);
    // The numbers of a world rise, whichever node gives them.
    await leave(other, "moved");
    const { items } = await control(one, "GET", "history?world=moved");
    const numbers = items.map(({ seq }: { seq: number }) => seq);
    expect(numbers.toSorted((a: number, b: number) => a - b)).toEqual(numbers);
    expect(items.at(-1).cause.id).toBe("rewind");
  });

  it("is still there after all nodes have stopped", async () => {
    const [one] = twoNodes();
    await control(one, "POST", "worlds", { id: "kept", fixture: "empty" });
    await control(one, "POST", "acts/createKey?world=kept", { name: "Kept", scopes: ["booking.read"] });
    const reject = await prepareRejection(one, "kept");
    expect((await reject()).status).toBe(404);
    const { items } = await control(one, "GET", "log?world=kept");
    for (const { sandbox } of here.nodes.splice(0)) await sandbox.close();
    while (here.nodes.length < 2) here.nodes.push(await openShared(here.database, { clock: undefined }));
    const [, other] = twoNodes();
    expect((await control(other, "GET", "log?world=kept")).items).toEqual(items);
    expect((await control(other, "GET", "history?world=kept")).items.length).toBeGreaterThan(0);
  });

  it("has its last 1,000 rejected requests, no reads, and no secret", async () => {
    const [one, other] = twoNodes();
    await control(one, "POST", "worlds", { id: "busy", fixture: "empty" });
    const reject = await prepareRejection(one, "busy");
    for (let count = 0; count < 1300; count += 50) await Promise.all(Array.from({ length: 50 }, reject));
    const last = (await control(one, "GET", "requests?world=busy&limit=1")).items[0];
    await leave(one, "busy");
    const found = await control(other, "GET", "requests?world=busy&limit=1000");
    expect(found.items.at(-1).id).toBe(last.id);
    expect(found.items.every(({ status }: { status: number }) => status >= 400)).toBe(true);
    const texts = await queryRows<{ record: string; kind: string; world: string }>(
      here.database,
      "select world, kind, record from journal where kind in ('outcome', 'rejected')",
    );
    // The older ones are dropped with the next snapshot of the world.
    const rejected = texts.filter(({ kind, world }) => kind === "rejected" && world === "busy").length;
    expect([rejected >= 1000, rejected < 1300]).toEqual([true, true]);
    for (const { record } of texts) {
      expect(record).not.toContain(OPERATOR);
      expect(record).not.toMatch(/"failed":false,.*"method":"GET"/);
    }
  }, 60_000);
});
