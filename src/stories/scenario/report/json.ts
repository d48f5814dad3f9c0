// Reports the transcripts of all scenarios as one JSON document, which is identical in two runs with the same seed.
import { createTranscript } from "../transcript.ts";
import { countResults, type Reporter } from "./reporter.ts";

export function json(): Reporter {
  return {
    reportEnd({ results }) {
      const summary = countResults(results);
      const document = { passed: summary.failed === 0, counts: summary, scenarios: results.map(createTranscript) };
      return `${JSON.stringify(document, null, 2)}\n`;
    },
  };
}
