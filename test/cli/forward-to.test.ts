// `listen --forward-to` with what is not the address of a receiver. The advice named the sandbox itself.
import { expect, it } from "vitest";
import { runHere } from "./in-process.ts";

it.each([
  ["/hook", "http://localhost:3000/hook"],
  ["hook", "http://localhost:3000/hook"],
  ["ftp://localhost/hook", "http://localhost:3000/hook"],
])("rejects %s and suggests %s", async (text, advised) => {
  const { code, stderr } = await runHere(["listen", "--forward-to", text]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      `--forward-to is ${text}, which is not the address of a receiver. Write it as ${advised}.`,
    ),
  });
  expect(stderr).not.toContain("4010");
});
