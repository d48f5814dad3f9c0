// The page that `sandbox check --reporter html` writes, as a browser shows it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { reporters, reportVerdict } from "../../src/verdict/report/index.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { RESULTS, verdictOf } from "../verdict/report/verdict-for-tests.ts";
import { inBrowser } from "./browser-kit.ts";

const file = join(makeTempFolder(), "verdict.html");
writeFileSync(
  file,
  reporters.html?.(reportVerdict(verdictOf(RESULTS)), { paint: (_, text) => text, width: 120 }) ?? "",
);
const address = pathToFileURL(file).href;

inBrowser("The page of a verdict", (kit) => {
  it("opens from a file with its own policy, and is accessible in both themes", async () => {
    const page = await kit.open(address);
    await expect.poll(() => page.locator("h1").textContent()).toBe("Verdict: npm test");
    const edge = `getComputedStyle(document.getElementById("RETRY-01")).borderLeftWidth`;
    expect(await page.evaluate(edge)).toBe("3px");
    await kit.mustBeAccessible(page);
  });

  it("fits a narrow screen", async () => {
    const page = await kit.open(address, { width: 360 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  });
});
