// An act or a trigger in the log, done or refused, with its input and its result.
import type { LogDraft, LogView } from "../app/application.ts";
import type { Exchange } from "./exchange.ts";
import { listed, readable, reasonIn, redacted, type SentBody, textOf } from "./request-log-view.ts";

/** Without its texts, roughly. */
const LEAST_BYTES = 400;

interface ActDone {
  act: string;
  world: string;
  at: string;
  sent: SentBody;
  refused: boolean;
  by_hand: boolean;
  took: number;
}

/** Texts are parsed only when somebody looks. */
export class LoggedAct implements LogDraft {
  readonly kind = "act";
  readonly id: string;
  readonly world: string;
  readonly at: string;
  readonly bytes: number;
  readonly failed: boolean;
  readonly by_hand: boolean;
  readonly operation: string;
  readonly facts: Exchange["facts"];
  readonly #input: Buffer | undefined;
  readonly #sent: SentBody;
  readonly #took: number;

  constructor({ id, raw, facts }: Exchange, { act, world, at, sent, refused, by_hand, took }: ActDone) {
    this.id = id;
    this.world = world;
    this.at = at;
    this.operation = act;
    this.facts = facts;
    this.failed = refused;
    this.by_hand = by_hand;
    this.#input = raw;
    this.#sent = sent;
    this.#took = took;
    // The log is bounded by this.
    this.bytes = LEAST_BYTES + (raw?.length ?? 0) + (sent?.length ?? 0);
  }

  touches(id: string): boolean {
    // In quotes, so that no id is found within a longer one.
    const quoted = JSON.stringify(id);
    return (
      this.facts.some((fact) => fact.id === id) || [this.#sent, this.#input].some((body) => body?.includes(quoted))
    );
  }

  says(text: string): boolean {
    return [this.operation, textOf(this.#sent), textOf(this.#input)].some((part) => part?.toLowerCase().includes(text));
  }

  show(view: LogView, messages: readonly string[]): object {
    const { code = null, message = null } = this.failed ? reasonIn(this.#sent) : {};
    const bodies = [this.#input, this.#sent];
    return {
      act: this.operation,
      status: this.failed ? "refused" : "done",
      duration_ms: this.#took,
      code,
      message,
      ...listed({ facts: this.facts, messages, ids: [], bodies }, view),
      ...(view === "full" ? { input: redacted(readable(this.#input, undefined)), result: this.#result() } : {}),
    };
  }

  #result(): unknown {
    const answer = this.failed ? null : (readable(this.#sent, undefined) as { result?: unknown } | null);
    return redacted(answer?.result ?? null);
  }
}
