// Time as an event loop sees it: tenths of a second, each followed by a look at a file. On a machine that is busy with other things a
// tenth lasts as much longer as everything else does. Loaded into a process before its program (`node --import`), it counts from
// SIGTERM to the end and writes the number to $TENTHS_FILE.
import { stat, writeFileSync } from "node:fs";

/** Starts counting; the returned function says how many tenths have passed. */
export function countTenths() {
  let tenths = 0;
  const next = () =>
    setTimeout(
      () =>
        stat(".", () => {
          tenths++;
          next();
        }),
      100,
    ).unref();
  next();
  return () => tenths;
}

const file = process.env.TENTHS_FILE;
if (file)
  process.once("SIGTERM", () => {
    const tenths = countTenths();
    process.once("exit", () => writeFileSync(file, String(tenths())));
  });
