// Those who wait, during a move of a clock, until what was due is recorded. A receipt also names what was attempted meanwhile, and is
// in the order in which things were due, whoever answered first.
import type { Delivery } from "../domain/kernel/records.ts";
import type { ReceiptLine } from "./dispatcher-ports.ts";

interface Round {
  wanted: Set<string>;
  lines: { due: string; line: ReceiptLine }[];
  resolve(lines: ReceiptLine[]): void;
  reject(reason: unknown): void;
}

export class PendingReceipts {
  readonly #open = new Set<Round>();

  open(wanted: readonly string[]): Promise<ReceiptLine[]> {
    if (wanted.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#open.add({ wanted: new Set(wanted), lines: [], resolve, reject });
    });
  }

  tell({ id, next_attempt_at = "" }: Delivery, line: ReceiptLine): void {
    for (const round of this.#open) {
      round.lines.push({ due: `${next_attempt_at} ${id}`, line });
      if (round.wanted.delete(id) && round.wanted.size === 0) this.#close(round);
    }
  }

  /** Nothing is in flight and nothing is due: what some still wait for was dropped. */
  end(): void {
    for (const round of [...this.#open]) this.#close(round);
  }

  fail(reason: unknown): void {
    for (const round of this.#open) round.reject(reason);
    this.#open.clear();
  }

  #close(round: Round): void {
    this.#open.delete(round);
    round.resolve(round.lines.sort((a, b) => (a.due < b.due ? -1 : a.due > b.due ? 1 : 0)).map(({ line }) => line));
  }
}
