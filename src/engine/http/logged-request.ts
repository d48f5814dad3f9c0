// A request in the log. It holds the exchange and the text that was sent; what people see of them is made when they ask.
import type { LogDraft, LogView } from "../app/application.ts";
import { decodedHeader, type Exchange, header } from "./exchange.ts";
import { listed, reasonIn, redactedText, type SentBody, showParts, textOf } from "./request-log-view.ts";

/** The least that it takes, with headers of common length. */
const LEAST_BYTES = 600;

export class LoggedRequest implements LogDraft {
  readonly kind = "request";
  readonly #exchange: Exchange;
  readonly #sent: SentBody;
  readonly #took: number;
  readonly bytes: number;
  readonly status: number | null;
  readonly test?: string;

  constructor(exchange: Exchange, sent: SentBody, status: number | null, took: number) {
    this.#exchange = exchange;
    this.#sent = sent;
    this.#took = took;
    this.status = status;
    // The target is held as text and as its parts.
    this.bytes = LEAST_BYTES + 2 * exchange.target.length + (exchange.raw?.length ?? 0) + (sent?.length ?? 0);
    const test = testOf(exchange);
    if (test !== undefined) this.test = test;
  }

  get id(): string {
    return this.#exchange.id;
  }

  /** A request without a world is one of the default world: somebody has to have it. */
  get world(): string {
    return this.#exchange.world?.id ?? "default";
  }

  get at(): string {
    return this.#exchange.at;
  }

  get operation(): string | undefined {
    return this.#exchange.route?.id;
  }

  get client_id(): string | undefined {
    return this.#exchange.key?.id;
  }

  get facts(): Exchange["facts"] {
    return this.#exchange.facts;
  }

  get named(): Exchange["params"] {
    return this.#exchange.params;
  }

  get body(): Buffer | undefined {
    return this.#exchange.raw;
  }

  /** Typed by a person, or sent again for one. */
  get by_hand(): boolean {
    return this.#exchange.sentBy === "person";
  }

  get failed(): boolean {
    return this.status === null || this.status >= 400;
  }

  touches(id: string): boolean {
    const { facts, params, raw } = this.#exchange;
    const isFact = facts.some((fact) => fact.id === id);
    const quoted = JSON.stringify(id);
    return isFact || Object.values(params).includes(id) || isIn(this.#sent, quoted) || isIn(raw, quoted);
  }

  says(text: string): boolean {
    const { target, raw } = this.#exchange;
    return [target, textOf(raw), textOf(this.#sent)].some((part) => part?.toLowerCase().includes(text));
  }

  show(view: LogView, messages: readonly string[]): object {
    const exchange = this.#exchange;
    const { code = null, message = null } = this.failed ? reasonIn(this.#sent) : {};
    const ids = Object.values(exchange.params);
    return {
      method: exchange.method,
      path: redactedText(exchange.path),
      operation: this.operation ?? null,
      status: this.status,
      duration_ms: this.#took,
      client_id: this.client_id ?? null,
      user_agent: header(exchange, "user-agent") ?? "",
      code,
      message,
      ...listed({ facts: exchange.facts, messages, ids, bodies: [this.#sent] }, view),
      faults: (exchange.faults ?? []).map(({ fault, ...hit }) => (view === "full" && fault ? { ...hit, fault } : hit)),
      ...(this.by_hand ? { by_hand: true } : {}),
      // Bodies are long, and a list shows none.
      ...(view === "full" ? showParts(exchange, this.#sent, this.status) : {}),
    };
  }
}

const isIn = (body: SentBody, text: string): boolean => body?.includes(text) ?? false;

/** The test that a request names itself. */
const testOf = (exchange: Exchange): string | undefined =>
  decodedHeader(exchange, "sandbox-test")?.slice(0, 500) || undefined;
