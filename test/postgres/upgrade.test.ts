// A rolling upgrade, from the side of the older version: what it does with a world that a newer one has written.
import { describe, expect, it } from "vitest";
import { FORMAT } from "../../src/hosted/postgres/load-world.ts";
import { eventually, furnish, type Node, nodesOfTests, openNode } from "./node.ts";
import { postgresBin, postgresOfTests, queryRows } from "./postgres-kit.ts";

describe.skipIf(!postgresBin)("A node with a world of a newer version", () => {
  const postgres = postgresOfTests();
  const killAfterTest = nodesOfTests();
  let database: string;
  const started = () => killAfterTest(openNode(database));

  const worldOf = (node: Node) => node.control("GET", "worlds/upgraded");
  /** As the next version would write it. */
  const written = (format: number) =>
    queryRows(database, "update journal set format = $1 where world = 'upgraded' returning seq", [format]);

  /** Two nodes; the world lies in the database, and on none of them. */
  const upgraded = async () => {
    database = await postgres.newDatabase();
    const former = await started();
    await furnish(former);
    expect((await former.control("POST", "worlds", { id: "upgraded", fixture: "empty" })).status).toBe(201);
    const input = { name: "Made before", scopes: ["booking.read"] };
    expect((await former.control("POST", "acts/createKey?world=upgraded", input)).status).toBe(200);
    // Killed, so that its last commits lie beside the checkpoint.
    await former.end("SIGKILL");
    expect((await written(FORMAT + 1)).length).toBeGreaterThan(0);
    const older = await started();
    await eventually(async () => expect((await older.book()).status).toBe(201));
    return older;
  };

  it("gives the reason, keeps its worlds, and leaves the other one to a newer node", async () => {
    const older = await upgraded();
    const why = `World upgraded was written by a newer version of the sandbox (format ${FORMAT + 1}; this version reads ${FORMAT}). Start the newer version in place of this one.`;
    expect(await worldOf(older)).toMatchObject({ status: 503, body: { message: why } });
    expect(await queryRows(database, "select owner from worlds where id = 'upgraded'")).toEqual([{ owner: null }]);
    expect((await older.book()).status).toBe(201);
    expect((await older.bookings()).length).toBe(2);

    // A node that can read it: here the same version, once the rows are its own.
    const newer = await started();
    await written(FORMAT);
    expect((await worldOf(newer)).status).toBe(200);
    expect((await worldOf(older)).status).toBe(200);
    expect((await newer.get("/v1/bookings")).status).toBe(200);
  });
});
