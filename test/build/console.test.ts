// What the console is made of: its own files, the one client, the reading of documents, and the library that draws. A rule of the
// domain, a zone or a sum of the books would be a second place for it.
import { expect, it } from "vitest";
import { makeConsole } from "../../src/build/pages.mjs";

const MAY_HOLD = [
  "src/console/",
  "src/client/",
  "src/contract/document/",
  "src/platform/amount-text.ts",
  "src/platform/count.ts",
  "src/platform/format-command.ts",
  "src/platform/json.ts",
  "src/platform/member-paths.ts",
  "src/platform/path-segment.ts",
  "src/platform/shell-quoted.ts",
  "src/platform/states-text.ts",
  "node_modules/preact/",
  "node_modules/@preact/signals/",
  "node_modules/@preact/signals-core/",
  "node_modules/openapi-fetch/",
];

it("The console contains only its own files, the client and the rendering library", async () => {
  const { metafile, outputFiles } = await makeConsole();
  const inputs = Object.keys(metafile.inputs);
  expect(inputs).toContain("src/client/control.ts");
  expect(inputs.filter((path) => !MAY_HOLD.some((each) => path.startsWith(each)))).toEqual([]);
  const script = outputFiles.find(({ path }) => path.endsWith(".js"))?.text ?? "";
  // Dates are written by their members or in UTC: what a zone reads is the sandbox's to say.
  expect(script.match(/timeZone:\s*[^,}]+/g)).toEqual(['timeZone:"UTC"']);
});
