// One JSON document: the transcripts of all scenarios. Nothing in it differs between two runs under one seed.
import { transcriptOf } from "../transcript.ts";
import { counts, type Reporter } from "./reporter.ts";

export function json(): Reporter {
  return {
    end({ results }) {
      const summary = counts(results);
      const document = { passed: summary.failed === 0, counts: summary, scenarios: results.map(transcriptOf) };
      return `${JSON.stringify(document, null, 2)}\n`;
    },
  };
}
