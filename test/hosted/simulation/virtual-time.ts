// Time that passes only when nothing is left to do: what the program under simulation waits for, in one order. Millions of waits cost
// seconds.
import { setImmediate } from "node:timers/promises";

interface Due {
  at: number;
  work: () => void;
}

/** By millisecond. */
export class VirtualTime {
  now = 0;
  readonly #slots = new Map<number, Due["work"][]>();

  after(ms: number, work: () => void): void {
    const at = Math.max(this.now, Math.ceil(this.now + ms));
    const slot = this.#slots.get(at);
    if (slot) slot.push(work);
    else this.#slots.set(at, [work]);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  async until(end: number): Promise<void> {
    for (; this.now < end; this.now++) {
      let slot = this.#slots.get(this.now);
      while (slot) {
        this.#slots.delete(this.now);
        for (const work of slot) work();
        await setImmediate();
        slot = this.#slots.get(this.now);
      }
    }
  }

  /** The timers of the program become these; returns a function that gives it back its own. */
  install(): () => void {
    const { setInterval, clearInterval } = globalThis;
    const ended = new Set<object>();
    const repeat = (work: () => void, ms: number) => {
      const handle = { unref: () => handle };
      const again = () => {
        if (ended.has(handle)) return;
        work();
        this.after(ms, again);
      };
      // Nodes do not start in the same millisecond.
      this.after(Math.random() * ms, again);
      return handle;
    };
    Object.assign(globalThis, { setInterval: repeat, clearInterval: (handle: object) => void ended.add(handle) });
    return () => void Object.assign(globalThis, { setInterval, clearInterval });
  }
}
