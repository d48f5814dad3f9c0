// What is wrong with a fixture, for `validate`: one sentence each, with file, line and place.
import { FixtureFault, readFixture } from "../fixtures/read.ts";
import { fixturesFolder } from "../sandbox.ts";
import { messageOf } from "./fault.ts";

export function fixtureFaults(nameOrFolder: string): string[] {
  try {
    readFixture(nameOrFolder, fixturesFolder());
    return [];
  } catch (error) {
    if (error instanceof FixtureFault) return messageOf(error).split("\n");
    throw error;
  }
}
