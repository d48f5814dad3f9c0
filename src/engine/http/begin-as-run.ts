// Applies the acts and assumptions of a run to each of its worlds before the first request. They are not applied when the world is created, because
// the library may still replace its state.
import type { RequestsPort, WorldsPort } from "../app/application.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import type { Exchange } from "./exchange.ts";

export function beginAsRun({ world }: Exchange, application: WorldsPort & RequestsPort): void {
  const run = world && application.runs.takePending(world.id);
  if (!world || !run) return;
  if (Object.keys(run.assumptions).length > 0) application.assumptions.set(world, run.assumptions);
  for (const { act, input } of run.acts) {
    try {
      application.acts.perform(world, act, input, { kind: "world", id: "setMark" });
    } catch (reason) {
      // A world of another fixture may lack the records of the act.
      if (!(reason instanceof DomainError)) throw reason;
    }
  }
}
