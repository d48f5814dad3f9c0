// A world of a run begins as the run does: before its first request it gets the acts and the assumptions of the run. Not when it is made,
// since the library may still put its state there.
import type { RequestsPort, WorldsPort } from "../app/application.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import type { World } from "../world/state/world.ts";
import type { Exchange } from "./exchange.ts";

export function beginAsRun({ world }: Exchange, application: WorldsPort & RequestsPort): void {
  const run = world && application.runs.takePending(world.id);
  if (!world || !run) return;
  if (Object.keys(run.assumptions).length > 0) application.assumptions.set(world, run.assumptions);
  performAll(world, run.acts, application);
}

function performAll(
  world: World,
  acts: readonly { act: string; input: unknown }[],
  { acts: port }: RequestsPort,
): void {
  for (const { act, input } of acts) {
    try {
      port.perform(world, act, input, { kind: "world", id: "setMark" });
    } catch (reason) {
      // Another fixture may lack what the act is about.
      if (!(reason instanceof DomainError)) throw reason;
    }
  }
}
