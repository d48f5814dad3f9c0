// Makes clients, types and validators of both documents that a sandbox serves, by three generators, and probes that the compiler reads:
// each value that a union refuses must be an error of types.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { startSandbox } from "experience-sandbox";
import { unions } from "./unions.js";

const run = (...args) => execFileSync("npx", ["--no-install", ...args], { stdio: ["ignore", "ignore", "inherit"] });

mkdirSync("made", { recursive: true });
const sandbox = await startSandbox({ fixture: "harbour-tours" });
for (const [name, path] of Object.entries({ openapi: "/openapi.json", control: "/_sandbox/openapi.json" })) {
  const answer = await fetch(`${sandbox.url}${path}`);
  writeFileSync(`made/${name}.json`, await answer.text());
  run("openapi-typescript", `made/${name}.json`, "-o", `made/openapi-typescript/${name}.ts`);
}
await sandbox.close();
run("openapi-ts", "-f", "openapi-ts.config.mjs");
run("orval", "--config", "./orval.config.cjs");

const typesOf = (document, name) => ({
  openapi_typescript: `import("./openapi-typescript/${document}").components["schemas"]["${name}"]`,
  hey_api: `import("./hey-api/${document}/types.gen").${name}`,
  orval: `import("./orval/${document}").${name}`,
});

const lines = ["// Made by generate.js."];
for (const [document, named] of Object.entries(unions))
  for (const [name, { accepted, refused }] of Object.entries(named))
    for (const [generator, type] of Object.entries(typesOf(document, name))) {
      const put = (value, kind, at) =>
        `export const ${name}_${generator}_${kind}${at}: ${type} = ${JSON.stringify(value)};`;
      lines.push(...accepted.map((value, at) => put(value, "accepted", at)));
      lines.push(...refused.map((value, at) => `// @ts-expect-error it is refused\n${put(value, "refused", at)}`));
    }
writeFileSync("made/probes.ts", `${lines.join("\n")}\n`);
