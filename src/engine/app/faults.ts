// The faults that integrators arm, world by world. Each takes effect at most `times` times. They are kept in memory alone.
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Schemas } from "../../contract/schemas.ts";
import { faultName } from "../domain/kernel/fault-words.ts";

export type FaultInput = Schemas["FaultInput"];
export type FaultHit = Schemas["FaultHit"];

/** Misbehaviour that an integrator asks for. */
export type Fault = Omit<FaultInput, "hits" | "seen" | "left"> & { name: string };

/** Where faults take effect: around an operation, as a token is used or issued, on a good answer, as a message is delivered. */
export type FaultStage = "before" | "after" | "use" | "issue" | "answer" | "delivery";

/** Something that a fault may hit. */
export interface FaultOccasion {
  stage: FaultStage;
  /** The names that a fault may give its operation. */
  operations?: readonly string[];
  method?: string;
  client?: string | undefined;
  /** Of a message. */
  kind?: string;
}

export interface Faults {
  /** Replaces those that were armed. A fault that brings its counts goes on from there, or from where it is by now if it is still armed. */
  arm(world: string, faults: readonly FaultInput[]): void;
  /** Behind those that are armed. One call, so that nothing of another is lost. */
  add(world: string, fault: FaultInput): void;
  list(world: string): Schemas["Fault"][];
  /** Those of this name, or all; the number of them. */
  clear(world: string, name?: string): number;
  /** Whether any has hits left, in this world or in any. */
  isArmed(world?: string): boolean;
  /** The first that hits, counted. */
  trigger(world: string, chance: FaultOccasion): Fault | undefined;
  /** Each that hits, in the order of the list. The effect says what it did; it is not counted where it did nothing. */
  apply(world: string, chance: FaultOccasion, effect: (fault: Fault) => string | undefined): FaultHit[];
  /** The same with effects that take their time. */
  applyLater(
    world: string,
    chance: FaultOccasion,
    effect: (fault: Fault) => Promise<string | undefined>,
  ): Promise<FaultHit[]>;
}

interface Armed {
  fault: Fault;
  hits: number;
  seen: number;
}

/** `stageOf` knows what each does, and so where. `runOf`: the world whose faults hold in this one too. */
export function makeFaults(
  stageOf: (fault: Fault) => FaultStage,
  runOf: (world: string) => string | undefined = () => undefined,
): Faults {
  const armed = new Map<string, Armed[]>();
  const listArmed = (world: string): readonly Armed[] => [
    ...(armed.get(world) ?? []),
    ...(armed.get(runOf(world) ?? "") ?? []),
  ];
  const hitBy = function* (world: string, chance: FaultOccasion): Generator<Armed> {
    for (const each of listArmed(world)) {
      if (hasLeft(each) && stageOf(each.fault) === chance.stage && fits(each.fault, chance) && isItsTurn(each))
        yield each;
    }
  };
  return {
    arm: (world, faults) => void armed.set(world, rearmed(armed.get(world) ?? [], faults)),
    add: (world, fault) => void armed.set(world, [...(armed.get(world) ?? []), armedAs(fault)]),
    list: (world) => (armed.get(world) ?? []).map(viewOf),
    clear(world, name) {
      const before = armed.get(world) ?? [];
      const remaining = before.filter(({ fault }) => name !== undefined && fault.name !== name);
      if (remaining.length > 0) armed.set(world, remaining);
      else armed.delete(world);
      return before.length - remaining.length;
    },
    isArmed: (world) => armed.size > 0 && (world === undefined || listArmed(world).some(hasLeft)),
    trigger(world, chance) {
      const [first] = hitBy(world, chance);
      if (first) first.hits++;
      return first?.fault;
    },
    apply(world, chance, effect) {
      const hits: FaultHit[] = [];
      for (const each of hitBy(world, chance)) {
        const { fault } = each;
        const did = effect(fault);
        if (did === undefined) continue;
        each.hits++;
        hits.push({ name: fault.name, did, fault });
      }
      return hits;
    },
    async applyLater(world, chance, effect) {
      const hits: FaultHit[] = [];
      for (const each of hitBy(world, chance)) {
        const { fault } = each;
        // Another request may come meanwhile, and must not hit once too often.
        each.hits++;
        const did = await effect(fault);
        if (did === undefined) each.hits--;
        else hits.push({ name: fault.name, did, fault });
      }
      return hits;
    },
  };
}

/** A list is sent again as it was read, and requests may have hit since: what is counted meanwhile is not counted back. */
function rearmed(before: readonly Armed[], faults: readonly FaultInput[]): Armed[] {
  const left = new Set(before);
  return faults.map((input) => {
    const next = armedAs(input);
    if (input.hits === undefined && input.seen === undefined) return next;
    // The object itself, since a request may be about to count in it.
    const same = [...left].find(
      ({ fault, hits, seen }) => hits >= next.hits && seen >= next.seen && isDeepStrictEqual(fault, next.fault),
    );
    if (same) left.delete(same);
    return same ?? next;
  });
}

function armedAs({ hits = 0, seen = 0, left: _, ...fault }: FaultInput): Armed {
  return { fault: { ...fault, name: faultName(fault) }, hits, seen };
}

function viewOf({ fault, hits, seen }: Armed): Schemas["Fault"] {
  return { ...fault, hits, seen, left: Math.max(0, fault.times - hits) };
}

const hasLeft = ({ fault, hits }: Armed): boolean => hits < fault.times;

function fits(fault: Fault, { operations = [], method = "", client, kind }: FaultOccasion): boolean {
  return (
    (fault.operation === undefined || operations.includes(fault.operation)) &&
    (fault.methods === undefined || fault.methods.some((each) => each === method)) &&
    (fault.client_id === undefined || fault.client_id === client) &&
    (fault.delivery?.kind === undefined || fault.delivery.kind === kind)
  );
}

/** Counts one that fits. The draw depends on nothing but the seed and the count, so that it can be repeated. */
function isItsTurn(armed: Armed): boolean {
  const { skip = 0, share = 1, seed = 0 } = armed.fault;
  const turn = armed.seen++;
  if (turn < skip) return false;
  return share === 1 || Number.parseInt(hash("sha256", `${seed} ${turn}`).slice(0, 8), 16) / 2 ** 32 < share;
}
