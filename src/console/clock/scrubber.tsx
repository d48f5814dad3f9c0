// The line of time with its handle: commits behind, what falls due ahead, now between them. It is a range of the browser's own, so the
// keyboard moves it; letting go of the pointer, or Enter, asks.

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

/** A pointer can't be held more exactly than so many steps. */
const MIN_DRAG_STEPS = 4;

const EXAMPLE = "2030-06-02 09:00, in UTC";

/** Instants are in milliseconds of the world's clock. */
interface ScrubberProps {
  scale: Scale;
  now: number;
  target: number;
  due: readonly number[];
  past: readonly number[];
  onDrag: (at: number) => void;
  onRelease: (at: number) => void;
}

/** Who has selected the instant to type another must not lose the selection at the next second. */
function keepSelection(field: HTMLInputElement): void {
  const before = field.value;
  // Once a value was set, the browser no longer takes the default for it.
  field.value = before;
  const release = () => field.value === before && field.form?.reset();
  field.addEventListener("blur", release, { once: true });
}

/** `onDrag` moves the handle only; `onRelease` asks whether the clock is to follow. */
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
    // It would press the first button of what asks.
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
          // One field while the handle is at a now that goes on: what somebody types there stays.
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
