// What a fault does besides failing a request: a row for each member that says so, with the stage at which it does it. What a good answer
// is followed by is applied here; tokens and deliveries do theirs where they are issued and sent.
import type { Fault, FaultStage } from "../app/application.ts";
import { bookAllThatIsLeft, moveBooking } from "../app/meanwhile.ts";
import { type FaultThing, operationsOf } from "../domain/kernel/fault-rules.ts";
import { answeredIn, changeAnswer, changePage, type Scene, type Scenery } from "./answer-faults.ts";
import type { Routed } from "./exchange.ts";
import { chanceOf, tell } from "./fault-injection.ts";

type Did = string | undefined;

interface Effect<Member extends FaultThing> {
  member: Member;
  stage(value: NonNullable<Fault[Member]>): FaultStage;
  apply?(scene: Scene, value: NonNullable<Fault[Member]>): Did | Promise<Did>;
}

/** So that each row's functions take the type of its own member. */
const effect = <Member extends FaultThing>(row: Effect<Member>) => row as unknown as Effect<FaultThing>;
const atAnswer = () => "answer" as const;

const EFFECTS = [
  effect({ member: "token", stage: ({ revoke }) => (revoke ? "use" : "issue") }),
  effect({ member: "answer", stage: atAnswer, apply: changeAnswer }),
  effect({ member: "page", stage: atAnswer, apply: changePage }),
  effect({
    member: "stale",
    stage: atAnswer,
    apply: (scene) => bookAllThatIsLeft(answeredIn(scene)),
  }),
  effect({
    member: "move",
    stage: atAnswer,
    apply: (scene) => moveBooking(answeredIn(scene)),
  }),
  effect({ member: "delivery", stage: () => "delivery" }),
];

const effectOf = (fault: Fault) => EFFECTS.find(({ member }) => fault[member] !== undefined);

/** Where in a request the fault is looked for. */
export function stageOf(fault: Fault): FaultStage {
  const { member, stage } = effectOf(fault) ?? {};
  return member && stage ? stage(fault[member] as never) : (fault.when ?? "before");
}

export function injectAnswerFaults(exchange: Routed, application: Scenery): Promise<void> | undefined {
  const { world, answer } = exchange;
  // Only a good answer can be spoilt.
  if (!world || !answer || answer.status >= 300 || !application.faults.isArmed(world.id)) return undefined;
  return apply({ exchange, world, application });
}

async function apply(scene: Scene): Promise<void> {
  const { exchange, world, application } = scene;
  const chance = chanceOf(exchange, "answer");
  const hits = await application.faults.applyLater(world.id, chance, (fault) => effected(fault, scene));
  tell(exchange, hits);
  // Others' acts are changes too, and must last before the answer says so.
  if (hits.length > 0) await application.durable(world.id);
}

async function effected(fault: Fault, scene: Scene): Promise<Did> {
  const { member, apply: act } = effectOf(fault) ?? {};
  if (!member || operationsOf(member)?.includes(scene.exchange.route.id) === false) return undefined;
  return act?.(scene, fault[member] as never);
}
