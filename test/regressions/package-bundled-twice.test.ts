// npm puts a package beside each of those that need it when another needs another version; the bundle held mime-db three times over,
// and every start read it three times. Now a start reads none, and what is loaded late reads one.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const AT_START = ["cli.cjs", "library.cjs"];

it("no file of the bundle holds the list of media types twice, and none that a start reads holds it", () => {
  const files = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
  const times = files.map((name) => {
    const parts = readFileSync(`${dist}${name}`, "utf8").split(
      "application/vnd.oasis.opendocument.spreadsheet-template",
    );
    return [name, parts.length - 1] as const;
  });
  expect(times.filter(([name, count]) => count > (AT_START.includes(name) ? 0 : 1))).toEqual([]);
  expect(times.filter(([, count]) => count === 1)).not.toEqual([]);
});
