// Verdicts in the console: those that are kept, one with its evidence, the way to a story and back, and the faults that a request met.
import { expect, it } from "vitest";
import { RESULTS, verdictOf } from "../verdict/report/verdict-for-tests.ts";
import { inBrowser } from "./browser-kit.ts";
import { callControl, callService } from "./requests.ts";

inBrowser("A verdict in the console", (kit) => {
  it("links each piece of evidence to its trace and back, and disappears with its worlds", async () => {
    const run = await kit.sandbox.world();
    await run.faults.arm({ name: "the answer is lost", operation: "getMe", status: 503, times: 1 });
    const { headers: answered } = await callService(run, "GET", "me");
    const evidence = [
      { id: answered.get("sandbox-request-id") ?? "", says: "GET getMe → 503", world: run.id },
      { id: "output", says: "Error: gone" },
    ];
    const results = RESULTS.map((each) => (each.id === "RETRY-01" ? { ...each, evidence } : each));
    await callControl(kit.sandbox, "POST", "verdicts", { ...verdictOf(results), worlds: [run.id] });

    const page = await kit.open("/_sandbox/ui/verdict", { refusals: true });
    await page.getByRole("region", { name: "Verdicts" }).getByRole("link", { name: "npm test" }).click();
    await page.getByRole("heading", { name: "1 not exercised" }).waitFor();
    await kit.mustBeAccessible(page);
    const failed = page.getByRole("region", { name: "fail", exact: true });
    await expect.poll(() => failed.getByRole("link").count()).toBe(1);
    await failed.getByRole("link").click();
    await page.getByRole("heading", { name: "Faults that took effect" }).waitFor();
    await page.getByText("the answer is lost").first().waitFor();
    await kit.mustBeAccessible(page);
    await page.getByRole("link", { name: "Back to the verdict" }).click();
    await failed.waitFor();

    await page.getByRole("button", { name: "Remove with worlds (1)" }).click();
    await page.getByRole("button", { name: /really/ }).click();
    await page.getByText("No verdicts yet.").waitFor();
    const { items } = await callControl<{ items: { id: string }[] }>(kit.sandbox, "GET", "worlds");
    expect(items.map(({ id }) => id)).not.toContain(run.id);
  });

  it("reports that there is no verdict, and how to create one", async () => {
    const page = await kit.open("/_sandbox/ui/verdict/vrd-none", { refusals: true });
    await page.getByText("There is no verdict vrd-none here.").waitFor();
    await page.getByRole("link", { name: "To the verdicts" }).click();
    await page.getByText(`npx --no-install sandbox check --url ${kit.sandbox.url} --keep -- npm test`).waitFor();
    await kit.mustBeAccessible(page);
  });
});
