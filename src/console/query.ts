// What a component asks the sandbox for: the last answer stays in sight until the next one is there. While the sandbox does not answer
// there is neither an answer nor a problem: the frame says so, and what was not answered is asked again when the sandbox is back.
import { useEffect, useState } from "preact/hooks";
import { isUnanswered, reach, sentenceOf } from "./api.ts";
import { worldId } from "./router.ts";

interface Query<T> {
  data?: T;
  problem?: string;
  loading: boolean;
  /** Asks once more. */
  again: () => void;
}

interface State<T> extends Omit<Query<T>, "again"> {
  /** The one that `data` is of. */
  world?: string;
  isUnanswered?: boolean;
}

/** Asks at first, and again whenever one of `because` has changed; `isCurrent` says whether the answer is still waited for. */
export function useQuery<T>(ask: (isCurrent: () => boolean) => Promise<T>, because: readonly unknown[]): Query<T> {
  const [state, setState] = useState<State<T>>({ loading: true });
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((before) => before + 1);
  useEffect(() => {
    let isCurrent = true;
    const world = worldId.peek();
    const settle = (next: (before: State<T>) => State<T>) => isCurrent && setState(next);
    // What is known of another world says nothing of this one.
    const known = (before: State<T>) => (before.world === world ? before : {});
    setState((before) => ({ ...before, loading: true }));
    ask(() => isCurrent).then(
      (data) => settle(() => ({ data, world, loading: false })),
      (reason) =>
        settle((before) =>
          isUnanswered(reason)
            ? { ...known(before), loading: true, isUnanswered: true }
            : { problem: sentenceOf(reason), loading: false },
        ),
    );
    return () => {
      isCurrent = false;
    };
  }, [...because, turn]);
  const isBack = Boolean(state.isUnanswered) && reach.value !== "away";
  useEffect(() => {
    if (isBack) again();
  }, [isBack]);
  return { ...state, again };
}
