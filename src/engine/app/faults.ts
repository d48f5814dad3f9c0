// Keeps the faults that integrators arm in each world, in memory only. Each takes effect at most `times` times.
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Schemas } from "../../contract/schemas.ts";
import { nameFault } from "../domain/kernel/fault-words.ts";

export type FaultInput = Schemas["FaultInput"];
export type FaultHit = Schemas["FaultHit"];

/** A failure that an integrator arms. */
export type Fault = Omit<FaultInput, "hits" | "seen" | "left"> & { name: string };

/**
 * The stages at which faults take effect: around an operation, when a token is used or issued, on a successful
 * response, or on a delivery.
 */
export type FaultStage = "before" | "after" | "use" | "issue" | "answer" | "delivery";

/** Something that a fault may hit. */
export interface FaultOccasion {
  stage: FaultStage;
  /** The names that a fault may give its operation. */
  operations?: readonly string[];
  method?: string;
  client?: string | undefined;
  /** The kind of a message. */
  kind?: string;
}

export type Faults = ReturnType<typeof createFaults>;

interface Armed {
  fault: Fault;
  hits: number;
  seen: number;
}

/** `stageOf` returns the stage of a fault, `runOf` the world whose faults also apply to this one. */
export function createFaults(stageOf: (fault: Fault) => FaultStage, runOf: (world: string) => string | undefined) {
  const armed = new Map<string, Armed[]>();
  const list = (world: string): readonly Armed[] => armed.get(world) ?? [];
  const listInForce = (world: string) => [...list(world), ...list(runOf(world) ?? "")];
  return {
    /**
     * Replaces the armed faults. A fault with counts continues from them, or from its present counts if it is still
     * armed.
     */
    arm: (world: string, faults: readonly FaultInput[]) => void armed.set(world, mergeFaults(list(world), faults)),
    /** Appends a fault in one call, so that no count of another is lost. */
    add: (world: string, fault: FaultInput) => void armed.set(world, [...list(world), toArmed(fault)]),
    list: (world: string) => list(world).map(toView),
    /** Clears the faults of this name, or all. Returns how many there were. */
    clear(world: string, name?: string): number {
      const before = list(world);
      const remaining = before.filter(({ fault }) => name !== undefined && fault.name !== name);
      if (remaining.length > 0) armed.set(world, remaining);
      else armed.delete(world);
      return before.length - remaining.length;
    },
    /** Whether a fault has hits left, in this world or in any. */
    isArmed: (world?: string) => armed.size > 0 && (world === undefined || listInForce(world).some(hasLeft)),
    /**
     * Yields each fault that hits. It is counted before its effect, so that another request in the meantime does not
     * exceed the limit. `takeBack` uncounts a fault without an effect.
     */
    *hit(world: string, occasion: FaultOccasion): Generator<{ fault: Fault; takeBack(): void }> {
      for (const each of listInForce(world)) {
        const { fault } = each;
        if (!hasLeft(each) || stageOf(fault) !== occasion.stage || !isMatch(fault, occasion) || !drawHit(each))
          continue;
        each.hits++;
        yield { fault, takeBack: () => void each.hits-- };
      }
    },
  };
}

/**
 * Keeps the counts of faults that are still armed: requests may have hit since the client read the list that it sends
 * now.
 */
function mergeFaults(before: readonly Armed[], faults: readonly FaultInput[]): Armed[] {
  const left = new Set(before);
  return faults.map((input) => {
    const next = toArmed(input);
    if (input.hits === undefined && input.seen === undefined) return next;
    // The object is reused, since a request may be about to increase its count.
    const same = [...left].find(
      ({ fault, hits, seen }) => hits >= next.hits && seen >= next.seen && isDeepStrictEqual(fault, next.fault),
    );
    if (same) left.delete(same);
    return same ?? next;
  });
}

function toArmed({ hits = 0, seen = 0, left: _, ...fault }: FaultInput): Armed {
  return { fault: { ...fault, name: nameFault(fault) }, hits, seen };
}

function toView({ fault, hits, seen }: Armed): Schemas["Fault"] {
  return { ...fault, hits, seen, left: Math.max(0, fault.times - hits) };
}

const hasLeft = ({ fault, hits }: Armed): boolean => hits < fault.times;

function isMatch(fault: Fault, { operations = [], method = "", client, kind }: FaultOccasion): boolean {
  return (
    (fault.operation === undefined || operations.includes(fault.operation)) &&
    (fault.methods === undefined || fault.methods.some((each) => each === method)) &&
    (fault.client_id === undefined || fault.client_id === client) &&
    (fault.delivery?.kind === undefined || fault.delivery.kind === kind)
  );
}

/**
 * Counts a matching occasion, and draws whether it hits. The draw depends only on the seed and the count, so it is
 * repeatable.
 */
function drawHit(armed: Armed): boolean {
  const { skip = 0, share = 1, seed = 0 } = armed.fault;
  const turn = armed.seen++;
  if (turn < skip) return false;
  return share === 1 || Number.parseInt(hash("sha256", `${seed} ${turn}`).slice(0, 8), 16) / 2 ** 32 < share;
}
