// A step of the plan of a soak: what happens at one instant.
import type { Fault } from "../check.ts";
import type { Business, Weather } from "./rates.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** What acts have answered so far, by the id that the plan gave. */
type Known = (id: string) => Readonly<Record<string, unknown>> | undefined;

/** `input` is a function, since ids are known only when earlier acts were done. */
export interface Act {
  act: string;
  /** Undefined where what it needs did not come to be. */
  input(known: Known): object | undefined;
  /** So long after the step that it belongs to, in milliseconds. */
  later?: number;
}

type StepWork =
  | Act
  | { fault: Fault }
  | { program: "stop" | "start" }
  | { own: "cancelBooking" | "moveBooking" }
  /** How long the secret before stays valid; before the program begins. */
  | { rotate: string };

/** All of it happens at `at`, one after the other. */
export interface Step {
  number: number;
  /** Milliseconds since the beginning. */
  at: number;
  row: Business | Weather | "restart" | "rotated-secret";
  does: readonly StepWork[];
}
