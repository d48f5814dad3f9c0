// `.` and `..` as an id were steps in the address of a request: it reached another path, so that `world remove ..` asked to delete /_sandbox/.
import { expect, it } from "vitest";
import { runHere, sandboxOfTests } from "../cli/in-process.ts";

const at = sandboxOfTests();

it.each([
  ["world remove .", "There is no world .. "],
  ["world remove ..", "There is no world ... "],
  ["show ..", "World default has no request, message, record, payment or number ... "],
  ["resend ..", "There is no message ... "],
  ["why ..", "World default has no request, message, record, payment or number ... "],
  ["snapshot load ..", "<name>: must be a name ", 2],
])("%s reports that there is none", async (line, words, exit = 1) => {
  const { code, stderr } = await runHere(line.split(" "), at);
  expect([code, stderr]).toEqual([exit, expect.stringContaining(words)]);
});

it("An operation of the API responds as for any unknown id", async () => {
  const { code, stdout, stderr } = await runHere(["call", "getBooking", "--set", "bookingId=.."], at);
  expect([code, stdout + stderr]).toEqual([1, expect.stringContaining("There is no booking ... ")]);
});
