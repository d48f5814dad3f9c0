// A logged request, to be changed and sent again: its path, query, headers and body.
import { useState } from "preact/hooks";
import { describeError, type Schemas } from "../api.ts";
import type { RequestEntry } from "../entries.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field, SubmitButton } from "../parts/primitives.tsx";
import { getQuery, navigate, setQuery, toHref } from "../router.ts";
import { replay } from "./replay.ts";
import { findChanges, parseEditedTexts, type RequestTexts, splitLines, toEditableTexts } from "./request-texts.ts";

interface EditProps {
  entry: RequestEntry;
  template: Schemas["OperationList"]["items"][number] | undefined;
  onClose: () => void;
}

const HELP: Readonly<Partial<Record<keyof RequestTexts, string>>> = {
  path: "One parameter a line: name=value",
  query: "One a line: name=value. A line that is taken away is not sent.",
  header: "One a line: name=value. The token is put in by the sandbox.",
};
const LABELS: Readonly<Record<keyof RequestTexts, string>> = {
  path: "Path",
  query: "Query",
  header: "Headers",
  body: "Body",
};

export function Edit({ entry, template, onClose }: EditProps) {
  // As it was when the dialog opened: the entry may be read again meanwhile.
  const [before] = useState(() => toEditableTexts(entry, template));
  const texts: RequestTexts = { ...before, ...parseEditedTexts(getQuery("edit")) };
  const [problem, setProblem] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const set = findChanges(before, texts);
    // It can't be read, so nothing is sent.
    if (typeof set === "string") return setProblem(set);
    replay(entry.id, set).then(
      (replayed) => navigate(toHref("story", [replayed.id])),
      (reason) => setProblem(describeError(reason)),
    );
  };
  // A part that the request does not have can't be changed.
  const parts = (Object.keys(LABELS) as (keyof RequestTexts)[]).filter((part) => before[part] !== undefined);
  return (
    <Dialog title="Edit and send again" onClose={onClose}>
      <form class="column" onSubmit={submit}>
        <p class="id">
          {entry.method} {template?.path ?? entry.path}
        </p>
        {parts.map((part) => (
          <Field
            key={part}
            label={LABELS[part]}
            help={HELP[part]}
            problem={part === parts.at(-1) ? problem || undefined : undefined}
          >
            <textarea
              rows={part === "body" ? 14 : Math.max(2, splitLines(texts[part]).length)}
              value={texts[part]}
              spellcheck={false}
              onInput={({ currentTarget }) =>
                setQuery({
                  edit: JSON.stringify({ ...parseEditedTexts(getQuery("edit")), [part]: currentTarget.value }),
                })
              }
            />
          </Field>
        ))}
        <div class="bar">
          <SubmitButton>Send</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}
