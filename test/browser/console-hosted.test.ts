// The console of a sandbox that many share, on several nodes: what stays in sight while nobody answers, and who looks.
import type { Route } from "playwright-core";
import { expect, it } from "vitest";
import { inBrowser } from "./browser-kit.ts";

const OF_A_SANDBOX = { "sandbox-request-id": "req-1" };

inBrowser("The console of a shared sandbox", (kit) => {
  it("keeps its content visible while a proxy responds in its place or its world moves", async () => {
    const page = await kit.open("/_sandbox/ui/acts/updateBooking", { outage: true });
    const field = page.getByLabel("booking_id *");
    await field.fill("bkg-free");
    const control = /\/_sandbox\/?(?!\/ui|ui)/;
    const banner = page.getByText(/the data below may be outdated/);
    const moving = "World default is moving to another node. Send the request again.";
    const answers: [name: string, answer: Parameters<Route["fulfill"]>[0], refusal: string | RegExp][] = [
      [
        "a proxy",
        { status: 503, contentType: "text/html", body: "<html><body><h1>503 Service Unavailable</h1></body></html>" },
        /^The sandbox at \S+ is unreachable\.$/,
      ],
      [
        "a node",
        {
          status: 503,
          headers: { ...OF_A_SANDBOX, "retry-after": "1" },
          json: { code: "SERVICE_UNAVAILABLE", message: moving },
        },
        moving,
      ],
    ];
    for (const [name, answer, refusal] of answers) {
      await page.route(control, (route) => route.fulfill(answer));
      await banner.waitFor();
      await page.getByText("no answer", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Perform act" }).click();
      await page.getByRole("alert").getByText(refusal).waitFor();
      expect([await field.inputValue(), await page.getByText("Service Unavailable").count()], name).toEqual([
        ...["bkg-free", 0],
      ]);
      await page.unroute(control);
      await banner.waitFor({ state: "detached" });
      await page.getByText("live", { exact: true }).waitFor();
      expect(await field.inputValue(), name).toBe("bkg-free");
    }
  });

  it("shows the caller and the default world, which can't be removed", async () => {
    const page = await kit.open("/healthz", { refusals: true });
    await kit.sandbox.world({ id: "acme" });
    let role = "developer";
    await page.route(/_sandbox\/me$/, (route) =>
      route.fulfill({
        json: { role, team: "acme", subject: "temp", token: "tok-1", expires_at: null, default_world: "acme" },
      }),
    );
    const described = /_sandbox$/;
    await page.route(described, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), world: "acme" } });
    });
    await page.goto(`${kit.sandbox.url}/_sandbox/ui/worlds`);
    const caller = page.locator(".caller");
    await expect.poll(() => caller.innerText()).toBe("acme developer");
    const row = page.getByRole("row", { name: /^acme/ });
    await row.getByText("shown", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Fork acme" }).waitFor();
    expect(await page.getByRole("button", { name: "Remove acme" }).count()).toBe(0);
    expect(await page.getByLabel("World", { exact: true }).inputValue()).toBe("acme");
    role = "viewer";
    await expect.poll(() => caller.innerText()).toBe("acme viewer");
    await page.route(described, (route) =>
      route.fulfill({ status: 401, headers: OF_A_SANDBOX, json: { code: "UNAUTHORIZED", message: "Sign in." } }),
    );
    await page.getByRole("button", { name: "Open the console" }).waitFor();
    await expect.poll(() => caller.count()).toBe(0);
  });
});
