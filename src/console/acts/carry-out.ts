// An act carried out, here or in a fork of the world that is gone again; a refusal as faults of its input.
import { perform } from "../../client/control.ts";
import { control, controlIn, dataOf, type Schemas } from "../api.ts";
import type { Fault } from "../forms/faults.ts";
import type { Input } from "../forms/form-model.ts";
import { refused } from "../forms/refused.ts";
import { worldId } from "../router.ts";

export interface Outcome {
  answer?: Schemas["ActAnswer"];
  /** What came of it. */
  story?: Schemas["Why"];
  /** It was done in a fork, which is gone again. */
  isTrial?: boolean;
  faults: readonly Fault[];
}

export async function done(act: string, input: Input, isTrial = false, ask = control.peek()): Promise<Outcome> {
  try {
    const asked = await perform(ask, act, input);
    const answer = await dataOf(Promise.resolve(asked));
    const id = asked.response.headers.get("sandbox-request-id") ?? "";
    const story = await dataOf(ask.GET("/_sandbox/why/{id}", { params: { path: { id } } }));
    return { answer, story, isTrial, faults: [] };
  } catch (reason) {
    return { isTrial, faults: refused(reason, input) };
  }
}

/** In a copy of the world, which is removed again. */
export async function tried(act: string, input: Input): Promise<Outcome> {
  const ask = control.peek();
  try {
    const path = { worldId: worldId.peek() };
    const { items } = await dataOf(
      ask.POST("/_sandbox/worlds/{worldId}/fork", { params: { path }, body: { count: 1 } }),
    );
    const fork = items[0]?.id ?? "";
    const outcome = await done(act, input, true, controlIn(fork));
    await ask.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: fork } } });
    return outcome;
  } catch (reason) {
    return { isTrial: true, faults: refused(reason, input) };
  }
}
