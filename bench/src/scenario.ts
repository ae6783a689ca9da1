/** One scenario: the work, its input and the goals. */
import type { BodyRequest } from "./bodies.ts";
import type { ClientName } from "./peers.ts";

export interface Scenario {
  name: string;
  /** The module in `works/` that does the work. */
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
  /** The goal for ours, as a multiple of the floor; in the unit of the figure if that is not a ratio. */
  goal?: number;
  /** Default `"ratio"`: CPU time of ours against the floor. */
  figure?: "ratio" | "milliseconds" | "kilobytes";
  /** A second size, which shows how the cost of ours grows. */
  grows?: { size: number; exponent: number };
  /** The goal for the memory of each of many streams, in kilobytes above the floor. */
  kilobytesEach?: number;
  /** Smaller sizes for clients with quadratic cost, compared with a floor of the same size. */
  smaller?: Partial<Record<ClientName, number>>;
  /** Which peers take part: none (`"ours"`) or parsers of arguments (`"parsers"`). Default: every peer with the feature. */
  only?: "ours" | "parsers";
  /** The work that replaces the floor, as the page describes it. */
  floor?: string;
  /** The row's name in the table at the top of the page, in the words of a user. Default: the table has no such row. */
  summary?: string;
}

export interface WorkInput {
  body?: BodyRequest;
  size?: number;
  variant?: string;
}
