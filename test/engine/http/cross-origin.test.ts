// Pages of other origins: none may call the API, unless --cors lets them in. Assumption: cors.
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { openSandbox, shareSandbox } from "../../sandbox.ts";
import { send } from "./http-kit.ts";

const PAGE = "http://docs.example:3000";
const preflight = {
  origin: PAGE,
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type",
};
const allowedIn = (headers: Record<string, string>) =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));

describe("Without --cors", () => {
  const sandbox = shareSandbox({ fixture: "empty" });

  it.each(["/v1/me", "/oauth2/token", "/openapi.json", "/_sandbox"])(
    "%s allows no page to read the response",
    async (path) => {
      for (const method of ["GET", "OPTIONS"]) {
        const { headers } = await send(sandbox, path, { method, headers: preflight });
        expect(allowedIn(headers)).toEqual([]);
      }
    },
  );
});

describe("With --cors", () => {
  const sandbox = shareSandbox({ cors: [PAGE, "https://other.example"] });
  let token: string;
  beforeAll(async () => {
    token = await (await sandbox.world()).token();
  });

  it("a page of that origin can send a preflight, and read the response", async () => {
    const requested = await request(sandbox.router).options("/v1/bookings").set(preflight);
    expect(requested.status).toBe(204);
    expect(requested.headers).toMatchObject({
      "access-control-allow-origin": PAGE,
      "access-control-allow-headers": "authorization,content-type",
      "access-control-allow-methods": expect.stringContaining("POST"),
    });
    const { status, headers } = await send(sandbox, "/v1/experiences/exp-canal", {
      token,
      headers: { origin: PAGE, "accept-language": "en" },
    });
    expect([status, headers["access-control-allow-origin"]]).toEqual([200, PAGE]);
    expect(headers["access-control-expose-headers"]).toContain("sandbox-request-id");
    expect(headers.vary).toBe("Origin, Accept-Language");
    const refused = await request(sandbox.router).get("/v1/me").set({ origin: PAGE });
    expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([401, PAGE]);
  });

  it("a page of another origin can't", async () => {
    const headers = { origin: "http://docs.example:3001" };
    const requested = await request(sandbox.router)
      .options("/v1/bookings")
      .set({ ...preflight, ...headers });
    const answered = await request(sandbox.router).get("/v1/me").auth(token, { type: "bearer" }).set(headers);
    for (const each of [requested, answered]) expect(each.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it("the control API allows no page", async () => {
    for (const method of ["GET", "OPTIONS"]) {
      const { headers, status } = await send(sandbox, "/_sandbox", { method, headers: preflight });
      expect(allowedIn(headers)).toEqual([]);
      if (method === "GET") expect(status).toBe(403);
    }
  });

  it("OPTIONS without a preflight lists the methods as before", async () => {
    const { status, headers } = await request(sandbox.router).options("/v1/bookings").set({ origin: PAGE });
    expect([status, headers.allow]).toEqual([204, "GET, POST, HEAD, OPTIONS"]);
  });
});

it("--cors * allows every page", async () => {
  const sandbox = await openSandbox({ fixture: "empty", cors: ["*"] });
  const { headers } = await request(sandbox.router).get("/healthz").set({ origin: PAGE });
  expect(headers["access-control-allow-origin"]).toBe("*");
  await sandbox.close();
});
