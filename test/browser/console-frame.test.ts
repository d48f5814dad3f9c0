// The frame of the console: reached from `/`, opened, moved in by the keyboard alone, and honest about what it can't show.
import { expect, it } from "vitest";
import { inBrowser } from "./browser-kit.ts";
import { callControl } from "./requests.ts";

inBrowser("The console", (kit) => {
  it("is linked from the first page, and is accessible in both themes", async () => {
    const page = await kit.open("/", { refusals: true });
    await page.getByRole("link", { name: "/_sandbox/ui" }).click();
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await page.getByText("live", { exact: true }).waitFor();
    await expect.poll(() => page.title()).toBe("Timeline · Sandbox console");
    await kit.mustBeAccessible(page);
  });

  it("shows the world, its clock, armed faults and overrides, including those of a terminal", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`, { refusals: true });
    await page.getByLabel("World").waitFor();
    await expect.poll(() => page.getByLabel("World").inputValue()).toBe(world.id);
    await page.getByText("held").waitFor();
    await callControl(world, "PUT", "faults", { faults: [{ operation: "createBooking", status: 503, times: 2 }] });
    await callControl(world, "PUT", "assumptions", { "limit-range": "clamp" });
    await page.getByText("1 fault armed").waitFor();
    await page.getByText("1 override").waitFor();
  });

  it("lists the current worlds, including those that a terminal has created or changed", async () => {
    const page = await kit.open("/_sandbox/ui");
    await page.getByText("live", { exact: true }).waitFor();
    const first = await kit.sandbox.world();
    await first.clock.advance("P1D");
    const now = (await first.clock.now()).slice(0, 10);
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    const row = (id: string) => page.getByRole("row", { name: new RegExp(id) });
    await row(first.id).getByText(now).waitFor();
    const second = await kit.sandbox.world();
    await row(second.id).waitFor();
  });

  it("searches everything in one box", async () => {
    const page = await kit.open("/_sandbox/ui");
    await page.getByText("live", { exact: true }).waitFor();
    await page.keyboard.press("s");
    await page.keyboard.type("Magnus Dahl");
    await page.getByRole("list", { name: "Found" }).getByText("Magnus Dahl").first().waitFor();
    await kit.mustBeAccessible(page);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("bkg-evening");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "bkg-evening" }).waitFor();
  });

  it("shows the valid part of an address that was truncated or mistyped", async () => {
    await fetch(`${kit.sandbox.url}/v1/me`);
    const [request] = await kit.sandbox.requests();
    const page = await kit.open("/_sandbox/ui/records/bookings/%E0%A4%A", { refusals: true });
    await page.getByRole("alert").getByText("%E0%A4%A").waitFor();
    const open = (path: string) => page.goto(`${kit.sandbox.url}/_sandbox/ui/${path}`);
    await open("timeline?open=%25E0");
    await page.getByText("live", { exact: true }).waitFor();
    await open(`acts/bookAsHost?input=${encodeURIComponent('{"items":5,"customer":"x","event_id":"evt-evening"}')}`);
    await expect.poll(() => page.getByLabel("event_id *").inputValue()).toBe("evt-evening");
    await page.getByRole("button", { name: "Add to items" }).waitFor();
    await open(`story/${request?.id}?edit=${encodeURIComponent('{"path":5,"query":[],"headers":7}')}`);
    await page.getByRole("dialog").getByLabel("Request").waitFor();
  });

  it("shows its keyboard shortcuts, and hides them again", async () => {
    const page = await kit.open("/_sandbox/ui", { refusals: true });
    await page.getByText("live", { exact: true }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await kit.mustBeAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("reports an unknown world or screen, and links back", async () => {
    const page = await kit.open("/_sandbox/ui/timeline?world=nowhere", { refusals: true });
    await page.getByText("nowhere", { exact: false }).nth(1).waitFor();
    await page.getByRole("link", { name: "Look at the world" }).click();
    await page.getByText("held").waitFor();
    const other = await kit.open("/_sandbox/ui/nothing", { refusals: true });
    await other.getByText("There is no screen “nothing”.").waitFor();
  });
});
