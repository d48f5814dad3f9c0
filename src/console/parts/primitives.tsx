// Small components that all screens use, such as instants, badges, buttons, JSON and messages.
import type { ComponentChildren, ComponentProps } from "preact";
import { useState } from "preact/hooks";
import { count } from "../../platform/count.ts";
import { parseJson } from "../../platform/json.ts";

/** A button that does not submit the form around it. */
export const Button = (props: ComponentProps<"button">) => <button type="button" {...props} />;

export const SubmitButton = (props: ComponentProps<"button">) => <button type="submit" class="primary" {...props} />;

/** Formats "2030-06-01 09:00". Cuts the text instead of using Date, which would format in the browser's time zone. */
export const formatInstant = (at: string, seconds = false): string => at.slice(0, seconds ? 19 : 16).replace("T", " ");

/** Shows an instant with the full value as tooltip. */
export const Instant = ({ at, seconds = false }: { at: string; seconds?: boolean }) => (
  <time dateTime={at} title={at}>
    {formatInstant(at, seconds)}
  </time>
);

/** Shows a sentence from the sandbox; text in backticks becomes code. */
export const Prose = ({ text = "" }: { text?: string | undefined }) => (
  <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);

/** A title such as "Anna Holm · 2030-06-01 19:00". Its parts are isolated, so that right-to-left names don't reorder the date. */
export const Title = ({ text }: { text: string }) => (
  <>
    {text.split(" · ").map((part, index) => (
      <span key={index}>
        {index > 0 && " · "}
        <bdi>{part}</bdi>
      </span>
    ))}
  </>
);

type Tone = "ok" | "bad" | "warn" | "info" | "quiet";

interface BadgeProps {
  tone?: Tone;
  title?: string;
  children: ComponentChildren;
}

export const Badge = ({ tone = "quiet", title, children }: BadgeProps) => (
  <span class={`badge ${tone}`} title={title}>
    {children}
  </span>
);

/** An HTTP status. A missing status means that the connection broke. */
export function Status({ status }: { status: number | null }) {
  const tone = status === null || status >= 500 ? "bad" : status >= 400 ? "warn" : "ok";
  return <Badge tone={tone}>{status ?? "no answer"}</Badge>;
}

const STATE_TONES: readonly [states: RegExp, tone: Tone][] = [
  [/^(ACTIVE|COMPLETED|CHECKED_IN|DELIVERED|ENABLED|PAID)$/, "ok"],
  [/^(CANCELLED|VOIDED|GIVEN_UP|REVOKED|FAILED|DELETED)$/, "bad"],
  [/^(PROCESSING|PENDING|INITIATED|DISABLED)$/, "warn"],
];

/** The state of a record, if it has one. */
export function State({ state }: { state: string | undefined }) {
  if (!state) return null;
  return <Badge tone={STATE_TONES.find(([states]) => states.test(state))?.[1] ?? "quiet"}>{state}</Badge>;
}

/** An empty screen: a title, and what to do next. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

/** An error message. The role `alert` makes screen readers announce it at once. */
export function Problem({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="note bad" role="alert">
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

/** Shows text in a box that scrolls. The `label` is for screen readers, because the box can be focused. */
export const Code = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
  <section class="code" aria-label={label} tabIndex={0}>
    <pre>{children}</pre>
  </section>
);

interface SideProps {
  title: string;
  /** Distinguishes this body from others on the page with the same title. */
  of?: string;
  /** The request line: method, path and query. */
  line?: ComponentChildren;
  headers?: Record<string, string | string[]> | undefined;
  value: unknown;
}

/** A side of an exchange. Headers are folded, because most readers look for the body. A body that is not JSON is shown unchanged. */
export function Side({ title, of = "", line, headers = {}, value }: SideProps) {
  const names = Object.entries(headers);
  const body = typeof value === "string" ? parseJson(value) : value;
  return (
    <section class="panel">
      <h2>{title}</h2>
      {line && <p class="id">{line}</p>}
      {names.length > 0 && (
        <details>
          <summary class="quiet small">{count(names.length, "header")}</summary>
          <dl class="headers">
            {names.map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{[text].flat().join(", ")}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {body === null || body === undefined ? (
        <p class="quiet">No body.</p>
      ) : (
        <Code label={`${title}, body${of}`}>{typeof body === "string" ? body : JSON.stringify(body, null, 2)}</Code>
      )}
    </section>
  );
}

/** How long the button shows its result. */
const MESSAGE_MS = 1500;

/** A button that copies text. `text` is called on click, because the text may be long. */
export function CopyButton({ text, children = "Copy" }: { text: () => string; children?: ComponentChildren }) {
  const [message, setMessage] = useState("");
  const copy = async () => {
    // The browser refuses, for example, on a page that is neither local nor HTTPS.
    setMessage(
      await Promise.resolve()
        .then(() => navigator.clipboard.writeText(text()))
        .then(
          () => "Copied",
          () => "Not copied: the browser refused",
        ),
    );
    setTimeout(() => setMessage(""), MESSAGE_MS);
  };
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">{message || children}</span>
    </Button>
  );
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
export const Field = ({ label, help, problem, children }: FieldProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
  <label class={problem ? "field wrong" : "field"}>
    <strong class="small">{label}</strong>
    {children}
    {help && (
      <span class="quiet small">
        <Prose text={help} />
      </span>
    )}
    {problem && (
      <span class="tone bad small" role="alert">
        {problem}
      </span>
    )}
  </label>
);
