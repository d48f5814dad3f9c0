// Behind a load balancer, the tools of the Model Context Protocol named the address of the node, which clients can't reach, and an audience
// that the token endpoint rejects.
import { expect, it } from "vitest";
import { overHttp } from "../mcp/mcp-kit.ts";
import { shareSandbox } from "../sandbox.ts";

const PUBLIC = "https://sandbox.example.com";
const sandbox = shareSandbox({ publicUrl: `${PUBLIC}/` });

it("The overview names the public address for requests, tokens and the audience", async () => {
  const client = await overHttp(sandbox.url);
  const { text } = await client.call("overview");
  await client.close();
  expect(text).toContain(`API: ${PUBLIC}/v1; token endpoint: ${PUBLIC}/oauth2/token`);
  expect(text).toContain(`-d audience=${PUBLIC} `);
  expect(text).not.toContain(sandbox.url);
});

it.each(["/openapi.json", "/.well-known/openid-configuration", "/llms.txt"])(
  "%s names the public address, also where the load balancer rewrites the Host",
  async (path) => {
    const text = await (await fetch(`${sandbox.url}${path}`)).text();
    expect(text).toContain(PUBLIC);
    expect(text).not.toContain(sandbox.url);
  },
);
