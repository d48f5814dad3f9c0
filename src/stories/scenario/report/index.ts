// Lists the reporters by name.
import { createTranscript } from "../transcript.ts";
import { junit } from "./junit.ts";
import { countResults, type Look, type Reporter } from "./reporter.ts";
import { spec } from "./spec.ts";
import { tap } from "./tap.ts";

export const reporters: Readonly<Record<string, (look: Look) => Reporter>> = { spec, tap, junit, json };

/** Reports the transcripts of all scenarios as one JSON document, which is identical in two runs with the same seed. */
function json(): Reporter {
  return {
    reportEnd({ results }) {
      const summary = countResults(results);
      const document = { passed: summary.failed === 0, counts: summary, scenarios: results.map(createTranscript) };
      return `${JSON.stringify(document, null, 2)}\n`;
    },
  };
}
