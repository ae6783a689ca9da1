/** A rule of a vendor: what it refuses in a request, and with which words. */
import type { Fields } from "../validators/faults.js";
import type { RequestView } from "./request-view.js";

/** `supposed` rules are known from hints only, and refuse nothing. */
export type Certainty = "documented" | "reported" | "supposed";

/** Where a request breaks a rule, and the values that the vendor's words name. */
export interface Finding {
  at: string;
  [value: string]: string | number;
}

export interface Rule {
  /** Vendor and subject, such as `anthropic/tool-name`. */
  id: string;
  /** What is refused, as part of a sentence. */
  refuses: string;
  /** The first place that breaks the rule. */
  find(request: RequestView): Finding | undefined;
  /** The vendor's words, with the values of the finding in braces. */
  says: string;
  /** The vendor's own code, for vendors that have one. Default: the most general code of the vendor. */
  code?: string;
  /** Default 400. */
  status?: number;
  /** A page of the vendor, or `owner/repository#number` for a thread. A page that could not be opened makes a rule `reported`. */
  source: string;
  /** When the source was written, or read if it has no date: year and month. */
  date: string;
  certainty: Certainty;
  /** Fields that make a good request break the rule. */
  example: Fields;
}

/** What a vendor answers to a request that breaks a rule. */
export interface Refusal {
  rule: Rule;
  at: string;
  status: number;
  words: string;
}

export function refusalOf(rule: Rule, finding: Finding): Refusal {
  const words = rule.says.replace(/\{(\w+)\}/g, (whole, name: string) => String(finding[name] ?? whole));
  return { rule, at: finding.at, status: rule.status ?? 400, words };
}
