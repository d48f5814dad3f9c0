// Defines the effects of faults other than a failed request: a row for each field of a fault, with its stage. Effects on successful responses are
// applied here. Effects on tokens and deliveries are applied where these are issued and sent.
import type { Fault, FaultStage } from "../app/application.ts";
import { bookAllThatIsLeft, moveBooking } from "../app/outdate-response.ts";
import { type FaultThing, getOperations } from "../domain/kernel/fault-rules.ts";
import { changeAnswer, changePage, type FaultScope, type ResponseFaultPorts, toTarget } from "./answer-faults.ts";
import type { Routed } from "./exchange.ts";
import { noteHits, toOccasion } from "./fault-injection.ts";

type Did = string | undefined;

interface Effect<Member extends FaultThing> {
  member: Member;
  stage(value: NonNullable<Fault[Member]>): FaultStage;
  apply?(scene: FaultScope, value: NonNullable<Fault[Member]>): Did | Promise<Did>;
}

/** Gives the functions of a row the type of its member. */
const toEffect = <Member extends FaultThing>(row: Effect<Member>) => row as unknown as Effect<FaultThing>;
const getAnswerStage = () => "answer" as const;

const EFFECTS = [
  toEffect({ member: "token", stage: ({ revoke }) => (revoke ? "use" : "issue") }),
  toEffect({ member: "answer", stage: getAnswerStage, apply: changeAnswer }),
  toEffect({ member: "page", stage: getAnswerStage, apply: changePage }),
  toEffect({ member: "stale", stage: getAnswerStage, apply: (scene) => bookAllThatIsLeft(toTarget(scene)) }),
  toEffect({ member: "move", stage: getAnswerStage, apply: (scene) => moveBooking(toTarget(scene)) }),
  toEffect({ member: "delivery", stage: () => "delivery" }),
];

const findEffect = (fault: Fault) => EFFECTS.find(({ member }) => fault[member] !== undefined);

/** Returns the stage of a request at which the fault may hit. */
export function findStage(fault: Fault): FaultStage {
  const { member, stage } = findEffect(fault) ?? {};
  return member && stage ? stage(fault[member] as never) : (fault.when ?? "before");
}

export function injectAnswerFaults(exchange: Routed, application: ResponseFaultPorts): Promise<void> | undefined {
  const { world, answer } = exchange;
  // Faults change only successful responses.
  if (!world || !answer || answer.status >= 300 || !application.faults.isArmed(world.id)) return undefined;
  return apply({ exchange, world, application });
}

async function apply(scene: FaultScope): Promise<void> {
  const { exchange, world, application } = scene;
  const chance = toOccasion(exchange, "answer");
  const hits = await application.faults.applyLater(world.id, chance, (fault) => applyEffect(fault, scene));
  noteHits(exchange, hits);
  // The acts of others must be durable before the response.
  if (hits.length > 0) await application.waitUntilDurable(world.id);
}

async function applyEffect(fault: Fault, scene: FaultScope): Promise<Did> {
  const { member, apply: act } = findEffect(fault) ?? {};
  if (!member || getOperations(member)?.includes(scene.exchange.route.id) === false) return undefined;
  return act?.(scene, fault[member] as never);
}
