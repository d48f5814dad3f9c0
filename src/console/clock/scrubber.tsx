// The time line with its handle: past changes, now, and due items. The handle is a range input, so the keyboard moves
// it. Releasing it, or Enter, asks for confirmation.

import { useKeys } from "../keys.ts";
import { SubmitButton } from "../parts/primitives.tsx";
import { formatDuration } from "../timeline/format-detail.ts";
import {
  countPastSteps,
  countSteps,
  parseInstant,
  type Scale,
  STEPS,
  toInstant,
  toIsoString,
  toPercent,
} from "./scale.ts";

/** A drag that ends within this number of steps from now counts as "now", because a pointer is no more precise. */
const MIN_DRAG_STEPS = 4;

const EXAMPLE = "2030-06-02 09:00, in UTC";

/** Instants are milliseconds of the world's clock. */
interface ScrubberProps {
  scale: Scale;
  now: number;
  target: number;
  due: readonly number[];
  past: readonly number[];
  onDrag: (at: number) => void;
  onRelease: (at: number) => void;
}

/** Keeps the text selection of the field, which the running clock would reset every second. */
function keepSelection(field: HTMLInputElement): void {
  const before = field.value;
  // Once a value is set, the browser ignores changes of the default value.
  field.value = before;
  const release = () => field.value === before && field.form?.reset();
  field.addEventListener("blur", release, { once: true });
}

/** `onDrag` only moves the handle; `onRelease` asks whether to move the clock. */
export function Scrubber({ scale, now, target, due, past, onDrag, onRelease }: ScrubberProps) {
  const handleDrag = ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
    onDrag(toInstant(Number(currentTarget.value), scale, now));
  const handleRelease = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const steps = Number(currentTarget.value);
    if (Math.abs(steps) < MIN_DRAG_STEPS) onDrag(now);
    else onRelease(toInstant(steps, scale, now));
  };
  const distanceMs = target - now;
  useKeys({
    n: { help: "handle to what falls due next", run: () => onDrag(due.find((each) => each > target) ?? target) },
    "0": { help: "handle back to now", run: () => onDrag(now) },
  });
  const handleKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    // Enter would press the first button of the dialog that opens.
    event.preventDefault();
    onRelease(target);
  };
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = parseInstant(String(new FormData(event.currentTarget as HTMLFormElement).get("to")));
    if (wanted === undefined) return;
    onDrag(wanted);
    onRelease(wanted);
  };
  return (
    <section class="panel scrubber" aria-label="Move the clock">
      <div class="track" aria-hidden="true">
        {[...new Set(past)].map((ms) => (
          <i key={ms} class="was" style={{ left: `${toPercent(ms, scale)}%` }} />
        ))}
        {[...new Set(due)].map((ms) => (
          <i key={ms} class={ms <= target ? "due reached" : "due"} style={{ left: `${toPercent(ms, scale)}%` }} />
        ))}
        <i class="now" style={{ left: `${toPercent(now, scale)}%` }} />
      </div>
      <input
        type="range"
        min={-countPastSteps(scale, now)}
        max={STEPS}
        value={countSteps(target, scale, now)}
        aria-label="Instant"
        aria-valuetext={toIsoString(target)}
        onInput={handleDrag}
        onPointerUp={handleRelease}
        onKeyDown={handleKey}
      />
      <form class="bar" onSubmit={handleSubmit}>
        <span class="quiet small">{toIsoString(scale.from).slice(0, 16).replace("T", " ")}</span>
        <span class="grow" />
        <input
          // The key stays the same while the clock runs, so that typed text is kept.
          key={distanceMs === 0 ? "now" : target}
          name="to"
          aria-label="Move to this instant"
          defaultValue={toIsoString(target).slice(0, 19).replace("T", " ")}
          title={EXAMPLE}
          onFocus={({ currentTarget }) => keepSelection(currentTarget)}
          onInput={({ currentTarget }) =>
            currentTarget.setCustomValidity(
              parseInstant(currentTarget.value) === undefined
                ? `This is no instant. Write one such as ${EXAMPLE}.`
                : "",
            )
          }
        />
        <span class="quiet away">
          {distanceMs === 0 ? "now" : `${distanceMs > 0 ? "+" : ""}${formatDuration(distanceMs)}`}
        </span>
        <SubmitButton>{distanceMs < 0 ? "Go back …" : "Move …"}</SubmitButton>
        <span class="grow" />
        <span class="quiet small">{toIsoString(scale.until).slice(0, 16).replace("T", " ")}</span>
      </form>
    </section>
  );
}
