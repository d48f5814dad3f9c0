// One metric as it is read: its name and meaning, and its samples. Names and types are those of Prometheus.

export interface Family {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: readonly Sample[];
}

export interface Sample {
  value: number;
  labels?: Readonly<Record<string, string>>;
  /** Of a histogram: `_bucket`, `_sum` or `_count`. */
  suffix?: string;
}

/** A value that goes up and down. */
export const gauge = (name: string, help: string, value: number): Family => ({
  ...{ name, help, type: "gauge" },
  samples: [{ value }],
});

/** A value that only rises; its rate is what matters. */
export const counter = (name: string, help: string, value: number): Family => ({
  ...{ name, help, type: "counter" },
  samples: [{ value }],
});
