// The library is one, however it is imported.
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { bin } from "../cli/run-sandbox.ts";

it("gives the same functions and classes to import and require", () => {
  const program = `const library = require("./dist/index.cjs");
    import("./dist/index.mjs").then((all) => console.log(Object.keys(all).length > 2, Object.keys(all).filter((name) => all[name] !== library[name])))`;
  const stdout = execFileSync(process.execPath, ["-e", program], { cwd: join(dirname(bin), ".."), encoding: "utf8" });
  expect(stdout).toBe("true []\n");
});
