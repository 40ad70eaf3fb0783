// What the specs read of the API's answers.

export interface Action {
  id: string;
  version: number;
  change: string;
  assignee: string | null;
  due: string | null;
  status: string;
  notes?: unknown[];
}

export interface Bin {
  at: string;
  numerator: number;
  denominator: number;
}

export interface Signal {
  bin_seconds: number;
  bins: Bin[];
}

export interface Dashboard {
  version: number;
  started_at: string;
  ended_at: string;
  actions: Action[];
  timeline: { occurred_at: string; event: string }[];
}
