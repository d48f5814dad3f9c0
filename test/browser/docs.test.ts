// The documentation at /docs in a browser: Scalar with the annotated document of a world, under its own policy.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { inBrowser, type Opening } from "./browser-kit.ts";

inBrowser("The documentation", (kit) => {
  const opened = async (query = "", opening: Opening = {}): Promise<Page> => {
    const page = await kit.open(`/docs${query}`, opening);
    await page.getByRole("heading", { name: "Experience Booking and Commerce API" }).waitFor();
    return page;
  };

  const goTo = async (page: Page, operation: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").or(page.getByRole("textbox")).first().waitFor();
    await page.keyboard.type(operation);
    await page
      .getByRole("option", { name: new RegExp(operation) })
      .first()
      .click();
    await page.getByRole("heading", { name: operation, exact: true }).first().waitFor();
  };

  it("lists every operation and every kind of webhook", async () => {
    const page = await opened();
    expect(await page.locator("body.light-mode").count()).toBe(1);
    const answer = await page.request.get(`${kit.sandbox.url}/openapi.json`);
    const { paths, webhooks } = (await answer.json()) as Record<string, Record<string, Record<string, object>>>;
    const titles = [...Object.values(paths ?? {}), ...Object.values(webhooks ?? {})].flatMap((item) =>
      Object.values(item).flatMap((each) => ("summary" in each ? String(each.summary) : [])),
    );
    expect(Object.keys(webhooks ?? {})).toHaveLength(14);
    const listed = await page.getByRole("navigation").or(page.locator("aside")).first().innerText();
    expect(titles.filter((title) => !listed.includes(title))).toEqual([]);
  });

  it.each(["light", "dark"] as const)("breaks no rule of accessibility in %s", async (theme) => {
    const page = await opened("", { theme });
    await page.locator("ul.endpoints[tabindex]").first().waitFor();
    await kit.mustBeAccessible(page);
  });

  it("finds an operation, says what holds in the world, and sends its request with a token that is in place", async () => {
    const world = await kit.sandbox.world();
    await world.assume({ "preview-production": "403" });
    const page = await opened(`?world=${world.id}`, { theme: "dark", refusals: true });
    expect(await page.locator("body.dark-mode").count()).toBe(1);
    await goTo(page, "Read an event");
    const section = page.locator('[id*="GET/v1/events/{eventId}"]').first();
    const text = await section.innerText();
    expect(text).toContain("It needs a token with the scope event.read.");
    expect(text).toContain("Assumed: preview-production.");
    expect(text).toContain("In force: 403, which is not the usual answer. Other answers: 404");
    const link = section.locator('a[href*="/scenarios/"]').first();
    const scenario = await page.request.get(new URL((await link.getAttribute("href")) ?? "", kit.sandbox.url).href);
    expect(await scenario.text()).toContain(`title: "${await link.innerText()}"`);

    await page.getByRole("button", { name: /test request.*\/events\/\{eventId\}/i }).click();
    const line = page.locator("#last-call");
    const sent = async () => {
      const before = (await world.requests()).at(-1)?.id ?? "";
      await page.getByRole("button", { name: "Send get request" }).click();
      await page.waitForFunction(`!document.querySelector("#last-call").hidden`);
      await expect.poll(() => line.innerText()).not.toContain(before || "nothing");
      return world.requests();
    };
    const [first] = await sent();
    expect(await line.innerText()).toBe(`GET /v1/events/evt-tomorrow-evening answered 200: the story of ${first?.id}`);
    expect(await line.getByRole("link").getAttribute("href")).toBe(`/_sandbox/ui/story/${first?.id}?world=${world.id}`);

    // The token has expired on the clock of the world, and another takes its place.
    await world.clock.advance("PT2H");
    expect((await sent()).map(({ status }) => status)).toEqual([200, 401, 200]);
  });
});
