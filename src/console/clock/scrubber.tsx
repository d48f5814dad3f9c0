// The time line with its handle: past changes, now, and due items. The handle is a range input, so the keyboard moves
// it. Releasing it, or Enter, asks for confirmation.

import { useKeys } from "../keys.ts";
import { formatInstant, SubmitButton } from "../parts/primitives.tsx";
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

const EXAMPLE = "2030-06-02 09:00";

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

/** `onDrag` only moves the handle; `onRelease` asks whether to move the clock. */
export function Scrubber({ scale, now, target, due, past, onDrag, onRelease }: ScrubberProps) {
  const handleRelease = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const steps = Number(currentTarget.value);
    if (Math.abs(steps) < MIN_DRAG_STEPS) onDrag(now);
    else onRelease(toInstant(steps, scale, now));
  };
  useKeys({
    n: { help: "handle to what falls due next", run: () => onDrag(due.find((each) => each > target) ?? target) },
    "0": { help: "handle back to now", run: () => onDrag(now) },
  });
  const moveTo = (at: number) => {
    onDrag(at);
    onRelease(at);
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    // Enter would press the first button of the dialog that opens.
    event.preventDefault();
    onRelease(target);
  };
  return (
    <section class="panel scrubber" aria-label="Move the clock">
      <div class="track" aria-hidden="true">
        {[...new Set([...past, ...due])].map((ms) => (
          <i key={ms} class={getMark(ms, now, target)} style={{ left: `${toPercent(ms, scale)}%` }} />
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
        onInput={({ currentTarget }) => onDrag(toInstant(Number(currentTarget.value), scale, now))}
        onPointerUp={handleRelease}
        onKeyDown={handleKey}
      />
      <div class="bar">
        <span class="quiet small grow">{formatInstant(toIsoString(scale.from))}</span>
        <InstantForm now={now} target={target} onSubmit={moveTo} />
        <span class="quiet small grow number">{formatInstant(toIsoString(scale.until))}</span>
      </div>
    </section>
  );
}

function getMark(at: number, now: number, target: number): string {
  if (at <= now) return "was";
  return at <= target ? "due reached" : "due";
}

interface InstantFormProps {
  now: number;
  target: number;
  onSubmit: (at: number) => void;
}

/** The instant of the handle. The field is empty while the handle is at now, so that a running clock does not replace what is typed. */
function InstantForm({ now, target, onSubmit }: InstantFormProps) {
  const distanceMs = target - now;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(parseInstant(String(new FormData(event.currentTarget as HTMLFormElement).get("to"))));
  };
  return (
    <form class="bar" onSubmit={submit}>
      <input
        // A new key resets the field to the new instant of the handle.
        key={distanceMs === 0 ? "now" : target}
        name="to"
        required
        aria-label="Move to this instant"
        placeholder={EXAMPLE}
        title="In UTC"
        defaultValue={distanceMs === 0 ? "" : formatInstant(toIsoString(target), true)}
        onInput={({ currentTarget }) =>
          currentTarget.setCustomValidity(
            Number.isNaN(parseInstant(currentTarget.value)) ? `Write an instant such as ${EXAMPLE}.` : "",
          )
        }
      />
      <span class="quiet away">
        {distanceMs === 0 ? "now" : `${distanceMs > 0 ? "+" : ""}${formatDuration(distanceMs)}`}
      </span>
      <SubmitButton>{distanceMs < 0 ? "Go back …" : "Move …"}</SubmitButton>
    </form>
  );
}
