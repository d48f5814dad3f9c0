// Commands, tools and the console read the armed faults and sent them all again with one more: of two that were added at one moment, one
// was lost, and of one that was disarmed meanwhile the other came back.
import { expect, it } from "vitest";
import { runHere, sandboxOfTests } from "../cli/in-process.ts";

const at = sandboxOfTests();
const OPERATIONS = ["getMe", "getOrder", "getEvent", "listEvents", "listOrders"];

it("Faults that are added simultaneously are all armed", async () => {
  const added = await Promise.all(
    OPERATIONS.map((operation) => runHere(["fault", "add", operation, "--status", "503"], at)),
  );
  expect(added.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  const { stdout } = await runHere(["fault", "list", "--json"], at);
  const { faults } = JSON.parse(stdout) as { faults: { operation: string }[] };
  expect(faults.map(({ operation }) => operation).sort()).toEqual([...OPERATIONS].sort());
});
