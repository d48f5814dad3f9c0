// npm puts a package beside each of those that need it when another needs another version; the bundle held mime-db three times over,
// and every start read it three times.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it.each(["cli.cjs", "index.cjs"])("%s holds the list of media types once", (file) => {
  const text = readFileSync(fileURLToPath(new URL(`../../dist/${file}`, import.meta.url)), "utf8");
  expect(text.split("application/vnd.oasis.opendocument.spreadsheet-template").length - 1).toBe(1);
});
