// One side of what went over the wire: the line of the request, its headers, and its body.
import type { ComponentChildren } from "preact";
import { count } from "../../platform/count.ts";
import { Json } from "./primitives.tsx";

interface SideProps {
  title: string;
  /** Tells it apart from another one of the page with the same title. */
  of?: string;
  /** What was asked for: method, path and query. */
  line?: ComponentChildren;
  headers?: Record<string, string | string[]> | undefined;
  value: unknown;
}

/** Headers are folded: the body is what most people look for. */
export function Side({ title, of = "", line, headers = {}, value }: SideProps) {
  const names = Object.entries(headers);
  return (
    <section class="panel side">
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
      {value === null || value === undefined ? (
        <p class="quiet">No body.</p>
      ) : (
        <Json value={parseBody(value)} label={`${title}, body${of}`} />
      )}
    </section>
  );
}

/** A body that is JSON is laid out. */
function parseBody(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
