// The examples of docs/scenarios.md come from stories that play.
import { expect, test, vi } from "vitest";
import { ownFolders, startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { playCommand } from "../../src/stories/scenario/index.ts";
import { WORDS } from "./scenario-words.ts";

test("Every word of a scenario has an example that plays", async () => {
  const message: string[] = [];
  const say = (text: string) => void message.push(text);
  const more = { start: startOwnSandbox, folders: ownFolders, env: ["CITY"] };
  vi.stubEnv("CITY", "Aarhus");
  const code = await playCommand([WORDS], { ...more, write: say, reportComplaint: say });
  expect(code, message.join("")).toBe(0);
  expect(message.join("")).toContain("5 passed");
});
