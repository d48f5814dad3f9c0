// The button and the dialog that save log entries as a scenario. The sandbox creates the file, or says why it can't.

import { useState } from "preact/hooks";
import { count } from "../../platform/count.ts";
import { formatCommand } from "../../platform/format-command.ts";
import { control, unwrap } from "../api.ts";
import { Dialog } from "../parts/actions.tsx";
import { Button, Code, CopyButton, Field, Loading } from "../parts/primitives.tsx";
import { useDebounced, useQuery } from "../query.ts";

interface SaveScenarioProps {
  /** The ids of the entries. */
  entries: readonly string[];
}

export function SaveScenario({ entries }: SaveScenarioProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Save as scenario</Button>
      {isOpen && (
        <Dialog title="Save as scenario" onClose={() => setOpen(false)}>
          <Scenario entries={entries} />
        </Dialog>
      )}
    </>
  );
}

function Scenario({ entries }: SaveScenarioProps) {
  const [typed, setTyped] = useState("");
  // The request waits until typing pauses, because each one creates the complete file.
  const title = useDebounced(typed.trim());
  const { data, problem } = useQuery([entries.join(), title], () => {
    const body = { entries: [...entries], ...(title && { title }) };
    return unwrap(control.peek().POST("/_sandbox/recordings", { body }));
  });
  if (problem !== undefined || !data) return <Loading problem={problem} />;
  const { steps, text, left_out } = data;
  // The file name follows the title, like the files in scenarios/.
  const words = data.title.toLowerCase().match(/[a-z0-9]+/g) ?? ["story"];
  const file = `${words.join("-")}.yaml`;
  return (
    <div class="stack">
      <Field label="Title">
        <input value={typed} placeholder={data.title} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
      </Field>
      <p class="quiet">
        {count(steps, "step")}. It plays in a fresh world: <code>{formatCommand(`play ${file}`)}</code>
      </p>
      {/* Entries that no step can express, such as a body that is not an object. */}
      {left_out.map((sentence) => (
        <p key={sentence} class="tone warn">
          {sentence}
        </p>
      ))}
      <div class="bar">
        <Button class="primary" onClick={() => download(file, text)}>
          Download {file}
        </Button>
        <CopyButton text={() => text} />
      </div>
      <Code label="Scenario">{text}</Code>
    </div>
  );
}

/** The URL lives long enough for a browser that saves slowly. */
const URL_LIFETIME_MS = 10_000;

/** Saves the text as a file without a request. */
function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
  Object.assign(document.createElement("a"), { href: url, download: file }).click();
  // The browser has read the URL after this time.
  setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
}
