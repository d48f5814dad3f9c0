// What is cached for a while about teams, and how many requests without a token are written down, by a clock that is moved by hand.
import { expect, it } from "vitest";
import { createAudit } from "../../src/hosted/teams/audit.ts";

it("Logs a hundred requests without a token per minute, and then the number of omitted ones", async () => {
  let now = 0;
  const written: { status: number; detail: object }[] = [];
  const note = createAudit({
    store: {
      addAudit: async (row) => void written.push(row),
    },
    monotonic: () => now,
    warn: (sentence) => expect(sentence).toBe(""),
  });
  const entry = { team: null, subject: "unknown", token: "", action: "listWorlds", world: null, detail: {} };
  const strangers = (count: number) =>
    Promise.all(Array.from({ length: count }, () => note({ ...entry, status: 401 })));
  await strangers(130);
  expect(written).toHaveLength(100);
  await note({ ...entry, team: "team-a", status: 200 });
  expect(written).toHaveLength(101);
  now = 60_001;
  await strangers(2);
  expect(written.slice(-2).map(({ detail }) => detail)).toEqual([{ left_out: 30 }, {}]);
});
