// Follows docs/hosted/operations.md: a backup while nodes write, and nodes on a database that was restored from it.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";
import { crowd, eventually, furnish, nodesOfTests, openNode } from "./node.ts";
import { postgresBin, postgresOfTests } from "./postgres-kit.ts";

const run = promisify(execFile);
const PAGE = readFileSync("docs/hosted/operations.md", "utf8");

/** A command of the page, with the addresses and the file of the test. */
function readCommand(program: string, { from = "", to = "", file }: { from?: string; to?: string; file: string }) {
  const line =
    PAGE.split("\n")
      .find((each) => each.trim().startsWith(`${program} `))
      ?.trim() ?? "";
  const words = line.split(" ").map((word) => word.replace('"$DATABASE"', from).replace('"$RESTORED"', to));
  return words.map((word) => word.replace("sandbox.dump", file)).slice(1);
}

describe.skipIf(!postgresBin)("A backup", () => {
  const postgres = postgresOfTests();
  const killAfterTest = nodesOfTests();
  const start = (database: string) => killAfterTest(openNode(database));

  it("of running nodes contains all changes confirmed before it, and new nodes can serve it", async () => {
    const [from, to] = [await postgres.newDatabase(), await postgres.newDatabase()];
    const file = join(makeTempFolder(), "sandbox.dump");
    const first = await start(from);
    await furnish(first);
    const second = await start(from);
    const early = [...(await crowd(first, 2, countTo(20))).made, ...(await crowd(second, 2, countTo(20))).made];
    let isOver = false;
    const during = [first, second].map((node) => crowd(node, 3, () => !isOver));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const program = (name: string) => join(postgresBin as string, name);
    await run(program("pg_dump"), readCommand("pg_dump", { from, file }));
    isOver = true;
    const late = (await Promise.all(during)).flatMap(({ made }) => made);
    expect(early.length).toBeGreaterThan(20);
    expect(late.length).toBeGreaterThan(0);
    const before = (await first.control("GET", "history")).body as { items: { cause: { id: string } }[] };
    await Promise.all([first, second].map((node) => node.end("SIGTERM")));

    await run(program("pg_restore"), readCommand("pg_restore", { to, file }));
    const [restored] = await Promise.all([start(to), start(to)]);
    const bookings = await restored.bookings();
    expect(early.filter((id) => !bookings.includes(id))).toEqual([]);
    // The past as well: the first changes are those of the first database.
    const { items } = (await restored.control("GET", "history")).body as typeof before;
    expect(items.length).toBeGreaterThan(early.length);
    expect(before.items.length).toBeGreaterThan(early.length);
    await eventually(async () => expect((await restored.book()).status).toBe(201));
  }, 120_000);
});

function countTo(times: number): () => boolean {
  let count = 0;
  return () => ++count <= times;
}
