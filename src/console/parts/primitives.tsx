// Small parts that every screen uses: an instant, a sentence, a badge, JSON, a state of "nothing here", a problem.
import type { ComponentChildren, ComponentProps } from "preact";
import { useState } from "preact/hooks";

/** A button that does not submit the form around it. */
export const Button = (props: ComponentProps<"button">) => <button type="button" {...props} />;

export const SubmitButton = (props: ComponentProps<"button">) => <button type="submit" class="primary" {...props} />;

/** "2030-06-01 09:00" of an instant; the whole of it on demand. */
export function Instant({ at, seconds = false }: { at: string; seconds?: boolean }) {
  return (
    <time dateTime={at} title={at}>
      {formatInstant(at, seconds)}
    </time>
  );
}

/** The text itself is cut: an instant is in UTC, and dates of the browser have its zone. */
const formatInstant = (at: string, seconds = false): string => `${at.slice(0, 10)} ${at.slice(11, seconds ? 19 : 16)}`;

/** A sentence of the sandbox: what it has in backticks is code. */
export const Prose = ({ text = "" }: { text?: string | undefined }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);

/** Letters that are read from right to left, and marks that turn the direction. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A title such as "Anna Holm · 2030-06-01 19:00": a name that is read from right to left leaves the date beside it as it is. */
export const Title = ({ text }: { text: string }) => (
  <>
    {RIGHT_TO_LEFT.test(text)
      ? text.split(" · ").map((part, index) => (
          <span key={index}>
            {index > 0 && " · "}
            <bdi>{part}</bdi>
          </span>
        ))
      : text}
  </>
);

/** A name such as REVENUE_RECOGNITION or capacity.reserved: where there is no room it breaks after a mark. */
export const BreakableName = ({ text }: { text: string }) => (
  <>
    {text.split(/(?<=[._])/).map((part, index) => (
      <span key={index}>
        {index > 0 && <wbr />}
        {part}
      </span>
    ))}
  </>
);

type Tone = "ok" | "bad" | "warn" | "info" | "quiet";

export function Badge({
  tone = "quiet",
  title,
  children,
}: {
  tone?: Tone;
  title?: string;
  children: ComponentChildren;
}) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

/** A status of HTTP; without one the connection broke. */
export function Status({ status }: { status: number | null }) {
  const tone = status === null || status >= 500 ? "bad" : status >= 400 ? "warn" : "ok";
  return <Badge tone={tone}>{status ?? "no answer"}</Badge>;
}

/** What there is to say and to do where there is nothing to show. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Read out at once, since nobody looks for it. */
export function Problem({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="problem" role="alert">
      <Prose text={text} />
    </p>
  );
}

/** Until the first answer is there, or why there is none. */
export function Loading({ problem }: { problem?: string | undefined }) {
  if (problem) return <Problem text={problem} />;
  return (
    <p class="quiet loading" role="status">
      Loading …
    </p>
  );
}

/** A text is shown as it is: the body of a response need not be JSON. */
export function Json({ value, label = "JSON" }: { value: unknown; label?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section class="code" aria-label={label} tabIndex={0}>
      <pre>{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}

/** How long the button says that it has copied. */
const MESSAGE_MS = 1500;

/** `text` is made when the button is pressed, since it may be long. */
export function CopyButton({ text, children }: { text: () => string; children: ComponentChildren }) {
  const [message, setMessage] = useState("");
  const copy = async () => {
    const worked = await copyToClipboard(text());
    setMessage(worked ? "Copied" : "Not copied: the browser refused");
    setTimeout(() => setMessage(""), MESSAGE_MS);
  };
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">{message || children}</span>
    </Button>
  );
}

/** A page that is not local nor https may not copy. */
async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

interface FieldProps {
  label: string;
  /** A sentence below. */
  help?: string | undefined;
  /** What is wrong with it. */
  problem?: string | undefined;
  children: ComponentChildren;
}

/** A label with its input inside, so that they belong together without an id. */
export function Field({ label, help, problem, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label class={problem ? "field wrong" : "field"}>
      <span class="field-label">{label}</span>
      {children}
      {help && (
        <span class="field-help">
          <Prose text={help} />
        </span>
      )}
      {problem && (
        <span class="field-problem" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}
