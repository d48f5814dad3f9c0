// A side of an exchange: the request line, the headers and the body.
import type { ComponentChildren } from "preact";
import { count } from "../../platform/count.ts";
import { Json } from "./primitives.tsx";

interface SideProps {
  title: string;
  /** Distinguishes this body from others on the page with the same title. */
  of?: string;
  /** The request line: method, path and query. */
  line?: ComponentChildren;
  headers?: Record<string, string | string[]> | undefined;
  value: unknown;
}

/** Headers are folded, because most readers look for the body. */
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

/** Parses a JSON body, so that it is shown indented. Other bodies are returned unchanged. */
function parseBody(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
