// A value once it has rested: what is typed or dragged need not be asked for at every step.
import { useEffect, useState } from "preact/hooks";

const REST_MS = 150;

export function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
