// npm puts a package beside each of those that need it when another needs another version; the bundle held mime-db three times over,
// and every start read it three times. Now each file of the bundle has it at most once.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
/** esbuild breaks a line that is too long within a text. */
const BREAK = /\\\n/g;

it("no file of the bundle holds the list of media types twice", () => {
  const files = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
  const times = files.map((name) => {
    const text = readFileSync(`${dist}${name}`, "utf8").replaceAll(BREAK, "");
    return [name, text.split("application/vnd.oasis.opendocument.spreadsheet-template").length - 1] as const;
  });
  expect(times.filter(([, count]) => count > 1)).toEqual([]);
  // The server finds the type of a body with it.
  expect(times).toContainEqual(["cli.cjs", 1]);
});
