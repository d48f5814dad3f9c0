// A step of a soak's plan: what happens at one point in time.
import type { Fault } from "../check.ts";
import type { Business, Weather } from "./rates.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Returns the result of an earlier act, by the id that the plan gave the record. */
type Known = (id: string) => Readonly<Record<string, unknown>> | undefined;

/** `input` is a function, because some ids are only known after earlier acts. */
export interface Act {
  act: string;
  /** Returns undefined if an earlier act that it needs was rejected. */
  input(known: Known): object | undefined;
  /** Milliseconds after the step. */
  later?: number;
}

type StepWork =
  | Act
  | { fault: Fault }
  | { program: "stop" | "start" }
  | { own: "cancelBooking" | "moveBooking" }
  /** How long the old secret stays valid after the rotation, which happens before the program starts. */
  | { rotate: string };

/** The work is performed in order, all of it at `at`. */
export interface Step {
  number: number;
  /** Milliseconds since the start of the soak. */
  at: number;
  row: Business | Weather | "restart" | "rotated-secret";
  does: readonly StepWork[];
}
