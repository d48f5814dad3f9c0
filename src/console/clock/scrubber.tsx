// The line of time with its handle: commits behind, what falls due ahead, now between them. It is a range of the browser's own, so the
// keyboard moves it; letting go of the pointer, or Enter, asks.
import { useKeys } from "../keys.ts";
import { durationText } from "../timeline/texts.ts";
import { instantAt, positionOf, readInstant, type Scale, STEPS, stepsBehind, stepsTo, written } from "./scale.ts";

/** A pointer can't be held more exactly than so many steps. */
const NEAR = 4;

const EXAMPLE = "2030-06-02 09:00, in UTC";

/** Instants are in milliseconds of the world's clock. */
interface ScrubberProps {
  scale: Scale;
  now: number;
  target: number;
  due: readonly number[];
  past: readonly number[];
  onDrag: (at: number) => void;
  onLetGo: (at: number) => void;
}

/** Who has selected the instant to type another must not lose the selection at the next second. */
function hold(field: HTMLInputElement): void {
  const before = field.value;
  // Once a value was set, the browser no longer takes the default for it.
  field.value = before;
  const release = () => field.value === before && field.form?.reset();
  field.addEventListener("blur", release, { once: true });
}

/** `onDrag` moves the handle only; `onLetGo` asks whether the clock is to follow. */
export function Scrubber({ scale, now, target, due, past, onDrag, onLetGo }: ScrubberProps) {
  const dragged = ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
    onDrag(instantAt(Number(currentTarget.value), scale, now));
  const letGo = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const steps = Number(currentTarget.value);
    if (Math.abs(steps) < NEAR) onDrag(now);
    else onLetGo(instantAt(steps, scale, now));
  };
  const away = target - now;
  useKeys({
    n: { does: "handle to what falls due next", run: () => onDrag(due.find((each) => each > target) ?? target) },
    "0": { does: "handle back to now", run: () => onDrag(now) },
  });
  const asks = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    // It would press the first button of what asks.
    event.preventDefault();
    onLetGo(target);
  };
  const typed = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = readInstant(String(new FormData(event.currentTarget as HTMLFormElement).get("to")));
    if (wanted === undefined) return;
    onDrag(wanted);
    onLetGo(wanted);
  };
  return (
    <section class="panel scrubber" aria-label="Move the clock">
      <div class="track" aria-hidden="true">
        {[...new Set(past)].map((ms) => (
          <i key={ms} class="was" style={{ left: `${positionOf(ms, scale)}%` }} />
        ))}
        {[...new Set(due)].map((ms) => (
          <i key={ms} class={ms <= target ? "due reached" : "due"} style={{ left: `${positionOf(ms, scale)}%` }} />
        ))}
        <i class="now" style={{ left: `${positionOf(now, scale)}%` }} />
      </div>
      <input
        type="range"
        min={-stepsBehind(scale, now)}
        max={STEPS}
        value={stepsTo(target, scale, now)}
        aria-label="Instant"
        aria-valuetext={written(target)}
        onInput={dragged}
        onPointerUp={letGo}
        onKeyDown={asks}
      />
      <form class="bar" onSubmit={typed}>
        <span class="quiet small">{written(scale.from).slice(0, 16).replace("T", " ")}</span>
        <span class="grow" />
        <input
          // One field while the handle is at a now that goes on: what somebody types there stays.
          key={away === 0 ? "now" : target}
          name="to"
          aria-label="Move to this instant"
          defaultValue={written(target).slice(0, 19).replace("T", " ")}
          title={EXAMPLE}
          onFocus={({ currentTarget }) => hold(currentTarget)}
          onInput={({ currentTarget }) =>
            currentTarget.setCustomValidity(
              readInstant(currentTarget.value) === undefined ? `This is no instant. Write one such as ${EXAMPLE}.` : "",
            )
          }
        />
        <span class="quiet away">{away === 0 ? "now" : `${away > 0 ? "+" : ""}${durationText(away)}`}</span>
        <button type="submit" class="primary">
          {away < 0 ? "Go back …" : "Move …"}
        </button>
        <span class="grow" />
        <span class="quiet small">{written(scale.until).slice(0, 16).replace("T", " ")}</span>
      </form>
    </section>
  );
}
