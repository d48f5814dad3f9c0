// How many requests without a token are written to the audit log, by a clock that is moved by hand.
import { expect, it } from "vitest";
import { Teams } from "../../src/hosted/teams/teams.ts";

it("Logs a hundred requests without a token per minute, and then the number of omitted ones", async () => {
  let now = 0;
  const written: { status: number; detail: object }[] = [];
  const addAudit = async (row: (typeof written)[number]) => void written.push(row);
  const teams = new Teams({ store: { addAudit }, monotonic: () => now } as never);
  const entry = { team: null, subject: "unknown", token: "", action: "listWorlds", world: null, detail: {} };
  const strangers = (count: number) =>
    Promise.all(Array.from({ length: count }, () => teams.note({ ...entry, status: 401 })));
  await strangers(130);
  expect(written).toHaveLength(100);
  await teams.note({ ...entry, team: "team-a", status: 200 });
  expect(written).toHaveLength(101);
  now = 60_001;
  await strangers(2);
  expect(written.slice(-2).map(({ detail }) => detail)).toEqual([{ left_out: 30 }, {}]);
});
