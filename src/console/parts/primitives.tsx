// Small components that all screens use, such as instants, badges, buttons, JSON and messages.
import type { ComponentChildren, ComponentProps } from "preact";
import { useState } from "preact/hooks";

/** A button that does not submit the form around it. */
export const Button = (props: ComponentProps<"button">) => <button type="button" {...props} />;

export const SubmitButton = (props: ComponentProps<"button">) => <button type="submit" class="primary" {...props} />;

/** Shows an instant as "2030-06-01 09:00", with the full value as tooltip. */
export function Instant({ at, seconds = false }: { at: string; seconds?: boolean }) {
  return (
    <time dateTime={at} title={at}>
      {formatInstant(at, seconds)}
    </time>
  );
}

/** Cuts the text instead of using Date, which would format in the browser's time zone. */
const formatInstant = (at: string, seconds = false): string => `${at.slice(0, 10)} ${at.slice(11, seconds ? 19 : 16)}`;

/** Shows a sentence from the sandbox; text in backticks becomes code. */
export const Prose = ({ text = "" }: { text?: string | undefined }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);

/** Right-to-left letters, and marks that change the direction. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A title such as "Anna Holm · 2030-06-01 19:00". Right-to-left names are isolated, so that they don't reorder the
 * date.
 */
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

/** A name such as REVENUE_RECOGNITION or capacity.reserved that can break after a dot or underscore. */
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

/** An HTTP status. A missing status means that the connection broke. */
export function Status({ status }: { status: number | null }) {
  const tone = status === null || status >= 500 ? "bad" : status >= 400 ? "warn" : "ok";
  return <Badge tone={tone}>{status ?? "no answer"}</Badge>;
}

/** An empty screen: a title, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** An error message. The role `alert` makes screen readers announce it at once. */
export function Problem({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="problem" role="alert">
      <Prose text={text} />
    </p>
  );
}

/** Shows that data is loading, or why loading failed. */
export function Loading({ problem }: { problem?: string | undefined }) {
  if (problem) return <Problem text={problem} />;
  return (
    <p class="quiet loading" role="status">
      Loading …
    </p>
  );
}

/** Shows a value as JSON. A string is shown unchanged, because a response body need not be JSON. */
export function Json({ value, label = "JSON" }: { value: unknown; label?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section class="code" aria-label={label} tabIndex={0}>
      <pre>{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}

/** How long the button shows its result. */
const MESSAGE_MS = 1500;

/** A button that copies text. `text` is called on click, because the text may be long. */
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

/** Returns false if the browser refuses, for example on a page that is neither local nor HTTPS. */
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
  /** A sentence below the field. */
  help?: string | undefined;
  /** The error message of the field. */
  problem?: string | undefined;
  children: ComponentChildren;
}

/** A label that contains its input, so that no id is needed to connect them. */
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
