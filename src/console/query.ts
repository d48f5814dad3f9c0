// What a component asks the sandbox for: the last answer stays in sight until the next one is there.
import { useEffect, useState } from "preact/hooks";
import { sentenceOf } from "./api.ts";

interface Query<T> {
  data?: T;
  problem?: string;
  loading: boolean;
  /** Asks once more. */
  again: () => void;
}

/** Asks at first, and again whenever one of `because` has changed; `isCurrent` says whether the answer is still waited for. */
export function useQuery<T>(ask: (isCurrent: () => boolean) => Promise<T>, because: readonly unknown[]): Query<T> {
  const [state, setState] = useState<Omit<Query<T>, "again">>({ loading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const settle = (next: Omit<Query<T>, "again">) => isCurrent && setState(next);
    setState((before) => ({ ...before, loading: true }));
    ask(() => isCurrent).then(
      (data) => settle({ data, loading: false }),
      (reason) => settle({ problem: sentenceOf(reason), loading: false }),
    );
    return () => {
      isCurrent = false;
    };
  }, [...because, turn]);
  return { ...state, again: () => setTurn((before) => before + 1) };
}
