// The console of a sandbox that many share, on several nodes: what stays in sight while nobody answers, and who looks.
import type { Route } from "playwright-core";
import { expect, it } from "vitest";
import { inBrowser } from "./browser-kit.ts";

const OF_A_SANDBOX = { "sandbox-request-id": "req-1" };

inBrowser("The console of a shared sandbox", (kit) => {
  it("lets nothing out of sight while a proxy answers in its place, or its world moves", async () => {
    const page = await kit.open("/_sandbox/ui/acts/updateBooking", { outage: true });
    const field = page.getByLabel("booking_id *");
    await field.fill("bkg-free");
    const control = /\/_sandbox\/?(?!\/ui|ui)/;
    const banner = page.getByText(/trying again. What is below is what was known before/);
    const moving = "World default is moving to another node. Send the request again.";
    const answers: [name: string, answer: Parameters<Route["fulfill"]>[0], refusal: string | RegExp][] = [
      [
        "a proxy",
        { status: 503, contentType: "text/html", body: "<html><body><h1>503 Service Unavailable</h1></body></html>" },
        /^The sandbox at \S+ does not answer\.$/,
      ],
      [
        "a node",
        {
          ...{ status: 503, headers: { ...OF_A_SANDBOX, "retry-after": "1" } },
          json: { code: "SERVICE_UNAVAILABLE", message: moving },
        },
        moving,
      ],
    ];
    for (const [name, answer, refusal] of answers) {
      await page.route(control, (route) => route.fulfill(answer));
      await banner.waitFor();
      await page.getByText("no answer", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Do it" }).click();
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
});
