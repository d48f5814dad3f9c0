// One JSON document: the transcripts of all scenarios. Nothing in it differs between two runs under one seed.
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
