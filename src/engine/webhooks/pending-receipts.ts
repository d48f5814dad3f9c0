// Keeps the receipts of clock moves open until the deliveries that were due are recorded. A receipt also lists other deliveries that
// were attempted in that time. Its lines are in the order of the due instants, not of the responses.
import type { ReceiptLine } from "../domain/kernel/facts.ts";
import type { Delivery } from "../domain/kernel/records.ts";

interface PendingReceipt {
  waitsFor: Set<string>;
  lines: { due: string; line: ReceiptLine }[];
  resolve(lines: ReceiptLine[]): void;
  reject(reason: unknown): void;
}

/** Several moves of one world can't overlap, but a receipt may be open while ordinary deliveries end. */
export class PendingReceipts {
  readonly #open = new Set<PendingReceipt>();

  /** Resolves when all the deliveries are recorded. */
  open(deliveries: readonly string[]): Promise<ReceiptLine[]> {
    if (deliveries.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#open.add({ waitsFor: new Set(deliveries), lines: [], resolve, reject });
    });
  }

  add({ id, next_attempt_at = "" }: Delivery, line: ReceiptLine): void {
    for (const receipt of this.#open) {
      receipt.lines.push({ due: `${next_attempt_at} ${id}`, line });
      if (receipt.waitsFor.delete(id) && receipt.waitsFor.size === 0) this.#resolve(receipt);
    }
  }

  resolveAll(): void {
    // The loop uses a copy, because resolving a receipt removes it from the set.
    for (const receipt of [...this.#open]) this.#resolve(receipt);
  }

  rejectAll(reason: unknown): void {
    for (const receipt of this.#open) receipt.reject(reason);
    this.#open.clear();
  }

  #resolve(receipt: PendingReceipt): void {
    this.#open.delete(receipt);
    const lines = receipt.lines.sort((a, b) => (a.due < b.due ? -1 : a.due > b.due ? 1 : 0));
    receipt.resolve(lines.map(({ line }) => line));
  }
}
