// Hooks that load data for a component and run its actions. An unreachable sandbox is not reported as a problem, because the frame
// shows a banner; data is loaded again when the sandbox is back.
import { useEffect, useState } from "preact/hooks";
import { describeError, type GetPath, isConnectionError, type ReadParams, reach, read } from "./api.ts";
import { worldId } from "./router.ts";
import { reload, worldVersion } from "./store.ts";

interface Query<T> {
  data?: T;
  problem?: string;
  loading: boolean;
}

/**
 * Calls `load` on the first render, and again when the world or one of the `dependencies` changes. The last data stays visible until the
 * next arrives. `isCurrent` returns false once a newer call has replaced this one.
 */
export function useQuery<T>(
  dependencies: readonly unknown[],
  load: (isCurrent: () => boolean) => Promise<T>,
): Query<T> {
  const [state, setState] = useState<Query<T> & { world?: string }>({ loading: true });
  useEffect(() => {
    let isCurrent = true;
    const world = worldId.peek();
    setState((before) => ({ ...before, loading: true }));
    load(() => isCurrent).then(
      (data) => isCurrent && setState({ data, world, loading: false }),
      (reason) =>
        isCurrent && !isConnectionError(reason) && setState({ problem: describeError(reason), world, loading: false }),
    );
    return () => {
      isCurrent = false;
    };
  }, [worldId.value, reach.value === "away", ...dependencies]);
  // Data of another world must not stay visible in this one.
  return state.world === worldId.value ? state : { loading: true };
}

/** Reads a path of the control API, and again after each change of the world. */
export function useRead<P extends GetPath>(path: P, params: ReadParams<P> = {}) {
  return useQuery([path, JSON.stringify(params), worldVersion.value], () => read(path, params));
}

/** Runs an action. Its error is `problem`; the data of the page is loaded again afterwards. */
export function useAction() {
  const [problem, setProblem] = useState("");
  const [isRunning, setRunning] = useState(false);
  const run = async (work: () => Promise<unknown>) => {
    setRunning(true);
    setProblem(await work().then(() => "", describeError));
    setRunning(false);
    await reload();
  };
  return { problem, isRunning, run };
}

const DEBOUNCE_MS = 150;

/** Delays a value until it stops changing, so that typing or dragging does not send a request per step. */
export function useDebounced<T>(value: T): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}
