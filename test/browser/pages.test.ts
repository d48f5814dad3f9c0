// The pages as a browser shows them.
import { expect, it } from "vitest";
import { inBrowser } from "./browser-kit.ts";

inBrowser("The page at /", (kit) => {
  it("opens, and is accessible in both themes", async () => {
    const page = await kit.open("/");
    await expect.poll(() => page.title()).toBe("experience-sandbox");
    await expect.poll(() => page.locator("h1").textContent()).toContain("experience-sandbox");
    await kit.mustBeAccessible(page);
  });
});
