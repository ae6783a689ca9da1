/** What one scenario measures. */
import type { BodyRequest } from "./bodies.ts";
import type { ClientName } from "./peers.ts";

export interface Scenario {
  name: string;
  /** The module in `works/` that does it. */
  work:
    | "added"
    | "stream"
    | "calls"
    | "http-agent"
    | "concurrent"
    | "event-stream"
    | "agent"
    | "embed"
    | "first-delta"
    | "import"
    | "inspect"
    | "json"
    | "object"
    | "retained";
  /** The input of the work. */
  input: WorkInput;
  /** The goal for ours, in floors; in the unit of the figure where there is no floor. */
  goal?: number;
  /** Default `"ratio"`: CPU time of ours against the floor. */
  figure?: "ratio" | "milliseconds" | "kilobytes";
  /** A second size, to see how the cost of ours grows. */
  grows?: { size: number; exponent: number };
  /** The goal for the memory of each of many streams, in kilobytes above the floor. */
  kilobytesEach?: number;
  /** Smaller sizes for clients with quadratic cost, compared with a floor of the same size. */
  smaller?: Partial<Record<ClientName, number>>;
  /** Which peers take part: none (`"ours"`) or parsers of arguments (`"parsers"`). Default: every peer with the feature. */
  only?: "ours" | "parsers";
  /** What takes the place of the floor. */
  floor?: string;
  /** The row's name in the table at the top of the page, in the words of a user. Default: not there. */
  summary?: string;
}

export interface WorkInput {
  body?: BodyRequest;
  size?: number;
  variant?: string;
}
