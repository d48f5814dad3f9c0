// The documentation at /docs in a browser: RapiDoc with the annotated document of a world, under its own policy.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { inBrowser, type Opening } from "./browser-kit.ts";

inBrowser("The documentation", (kit) => {
  const opened = async (query = "", opening: Opening = {}): Promise<Page> => {
    const page = await kit.open(`/docs${query}`, opening);
    await page.locator("#link-overview").waitFor();
    return page;
  };
  const listed = (page: Page) => page.locator(".nav-bar-path:visible").allInnerTexts();

  const goTo = async (page: Page, operation: string) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(operation);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: operation, exact: true }).waitFor();
  };

  it("lists every operation and every kind of webhook", async () => {
    const page = await opened();
    await page.getByRole("heading", { name: "Experience Booking and Commerce API" }).waitFor();
    const answer = await page.request.get(`${kit.sandbox.url}/openapi.json`);
    const { paths, webhooks } = (await answer.json()) as Record<string, Record<string, Record<string, object>>>;
    const titles = [...Object.values(paths ?? {}), ...Object.values(webhooks ?? {})].flatMap((item) =>
      Object.values(item).flatMap((each) => ("summary" in each ? String(each.summary) : [])),
    );
    expect(Object.keys(webhooks ?? {})).toHaveLength(14);
    const missing = async () => {
      const view = (await listed(page)).map((text) => text.split("\n").at(-1)?.trim());
      return titles.filter((title) => !view.includes(title));
    };
    await expect.poll(missing).toEqual([]);
  });

  it.each([
    ["", "Experience Booking and Commerce API"],
    ["#get-/v1/events", "List events"],
    ["#post-/v1/bookings", "Create a booking"],
  ])("breaks no accessibility rule at /docs%s", async (hash, heading) => {
    const page = await opened(hash);
    await page.getByRole("heading", { name: heading }).first().waitFor();
    await kit.mustBeAccessible(page);
  });

  it("offers the document for download, and keeps the list of operations on a narrow screen", async () => {
    const page = await opened("", { width: 390 });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download OpenAPI spec" }).click(),
    ]);
    expect(new URL(download.url()).pathname).toBe("/openapi.json");
    await goTo(page, "Read an event");
    await expect.poll(() => listed(page)).toEqual([expect.stringContaining("Read an event")]);
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  });

  it("opens the operation in the address", async () => {
    const page = await opened("#get-/v1/events/-eventId-");
    await page.getByRole("heading", { name: "Read an event", exact: true }).waitFor();
  });

  it("finds an operation, shows its active assumptions, and sends its request with a prepared token", async () => {
    const world = await kit.sandbox.world();
    await world.assume({ "preview-production": "403" });
    const page = await opened(`?world=${world.id}`, { theme: "dark", refusals: true });
    await expect.poll(() => page.locator("rapi-doc[theme=dark]").count()).toBe(1);
    await goTo(page, "Read an event");
    await expect.poll(() => new URL(page.url()).hash).toBe("#get-/v1/events/-eventId-");
    const section = page.locator("main");
    for (const words of [
      "It needs a token with the scope event.read.",
      "Assumed: preview-production.",
      "In force: 403, which is not the default. Other values: 404",
    ])
      await expect.poll(() => section.innerText()).toContain(words);
    const link = section.locator('.expanded-endpoint-body > .m-markdown a[href*="/scenarios/"]').first();
    const scenario = await page.request.get(new URL((await link.getAttribute("href")) ?? "", kit.sandbox.url).href);
    expect(await scenario.text()).toContain(`title: "${await link.innerText()}"`);

    await page.getByRole("textbox", { name: "eventId" }).fill("evt-tomorrow-evening");
    const line = page.locator("#last-call");
    const sent = async () => {
      const before = (await world.requests()).at(-1)?.id ?? "";
      await page.getByRole("button", { name: "TRY" }).click();
      await line.waitFor();
      await expect.poll(() => line.innerText()).not.toContain(before || "nothing");
      return world.requests();
    };
    const [first] = await sent();
    await expect
      .poll(() => line.innerText())
      .toBe(`GET /v1/events/evt-tomorrow-evening answered 200: the story of ${first?.id}`);
    await expect
      .poll(() => line.getByRole("link").getAttribute("href"))
      .toBe(`/_sandbox/ui/story/${first?.id}?world=${world.id}`);
    await kit.mustBeAccessible(page);

    // The token has expired on the clock of the world, and another takes its place.
    await world.clock.advance("PT2H");
    expect((await sent()).map(({ status }) => status)).toEqual([200, 401, 200]);
  });
});
