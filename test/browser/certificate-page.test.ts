// The page of a certificate that a shared sandbox has signed, as a browser shows it: valid, expired and revoked. Its words on a real node are in
// test/postgres/certificates.test.ts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { TeamsPort } from "../../src/engine/app/application.ts";
import type { Exchange } from "../../src/engine/http/exchange.ts";
import { certificatePage } from "../../src/engine/http/pages/certificate.ts";
import type { CertificateRow } from "../../src/engine/world/store/certificate-store.ts";
import { certificateOf, newKey, signed } from "../../src/verdict/certificate/index.ts";
import { RESULTS, verdictOf } from "../verdict/report/verdict-for-tests.ts";
import { inBrowser } from "./browser-kit.ts";

const ID = "crt_Vq3mU0x1b9aJ8yQ2LkTfZg";
const profile = { name: "reseller", for: "Sells bookings to guests.", hash: "ab".repeat(32), of: 28, met: 28 };
/** Nothing is signed where anything fails. */
const passed = RESULTS.filter(({ outcome }) => outcome !== "fail");
const certificate = certificateOf(verdictOf(passed, { exit_code: 0, profile: { ...profile, gaps: [], wishes: [] } }), {
  subject: { name: "harbour-shop", version: "1.2.0", commit: "8d1f0c5e7a3b92d4c6e8f0a1b2c3d4e5f6a7b8c9", clean: false },
  fixtureHash: "99".repeat(32),
  soak: {
    ...{ seed: "7", days: 30, rate: 1, scope: "own", restarts: 3, calls: 1359, deliveries: 824 },
    compared: { bookings: 212 },
  },
  witness: {
    ...{ issuer: "https://sandbox.example.com", id: ID, team: "acme" },
    attested: [
      "how each run ended",
      "the weather and the restarts of the soak, and the state that the program printed",
    ],
  },
});
const valid: CertificateRow = {
  ...{ id: ID, team: "acme", jws: await signed(certificate, await newKey()), expires_at: certificate.expires },
  ...{ is_expired: false, revoked_at: null, revoked_for: null },
};
const revoked = { revoked_at: "2030-07-01T09:00:00.000Z", revoked_for: "The <b>version</b> was withdrawn." };

/** Where a picture of each is put, for whoever wants to look. */
const PICTURES = process.env.SANDBOX_LOOK;

inBrowser("The page of a certificate", (kit) => {
  it.each([
    ["Valid", valid, /^Valid until \d{4}-\d\d-\d\d$/],
    ["Expired", { ...valid, is_expired: true }, /^Expired on \d{4}-\d\d-\d\d$/],
    ["Revoked", { ...valid, ...revoked }, /^Revoked on 2030-07-01: The <b>version<\/b> was withdrawn\.$/],
  ])("says that it is %s, accessibly, in both themes and on a narrow screen", async (what, row, words) => {
    const application = { teams: { store: { certificate: async () => row } } } as unknown as TeamsPort;
    const answer = await certificatePage(application, { params: { certificate: ID } } as unknown as Exchange);
    for (const [theme, width] of [
      ["light", 1280],
      ["dark", 390],
    ] as const) {
      const page = await kit.open("/docs", { theme, width });
      await page.route("**/certificates/*", (route) =>
        route.fulfill({
          status: answer.status,
          headers: answer.headers as Record<string, string>,
          body: String(answer.body),
        }),
      );
      await page.goto(new URL(`/certificates/${ID}`, kit.sandbox.url).href);
      await expect.poll(() => page.locator("h1 + p").textContent()).toMatch(words);
      await expect
        .poll(() => page.getByRole("row", { name: "Soak" }).textContent())
        .toBe(
          "Soak30 days of business and bad weather with 3 restarts: 1359 calls, 824 deliveriesknew 212 bookings (own); seed 7, rate 1",
        );
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(await page.evaluate("getComputedStyle(document.body).color")).toBe(
        theme === "dark" ? "rgb(231, 234, 238)" : "rgb(27, 32, 39)",
      );
      if (PICTURES) {
        mkdirSync(PICTURES, { recursive: true });
        await page.screenshot({ path: join(PICTURES, `certificate-${what}-${theme}.png`), fullPage: true });
      }
      await kit.mustBeAccessible(page);
    }
  });
});
