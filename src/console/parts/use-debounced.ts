// Delays a value until it stops changing, so that typing or dragging does not send a request per step.
import { useEffect, useState } from "preact/hooks";

const DELAY_MS = 150;

export function useDebounced<T>(value: T): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}
