// What is wrong with a fixture, for `validate`: one sentence each, with file, line and place. Its history is played as well, in a
// sandbox that nobody sees and a minute beyond its anchor: whether an act is refused shows only then.
import { after } from "../domain/instant.ts";
import { FixtureFault, readFixture } from "../fixtures/read.ts";
import { anchorOf } from "../fixtures/shift.ts";
import { fixturesFolder, makeSandbox } from "../sandbox.ts";
import { messageOf } from "./fault.ts";

export async function fixtureFaults(nameOrFolder: string): Promise<string[]> {
  try {
    const { world } = readFixture(nameOrFolder, fixturesFolder());
    const sandbox = await makeSandbox({ fixture: nameOrFolder, clock: after(anchorOf(world), "PT1M") });
    await sandbox.close();
    return [];
  } catch (error) {
    if (error instanceof FixtureFault) return messageOf(error).split("\n");
    throw error;
  }
}
