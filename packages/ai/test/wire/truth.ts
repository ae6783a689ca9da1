/** What a recording says, as the folder of recordings describes it: only the fields that are read here. */

/** Numbers as the provider sent them, in objects of any depth. */
export type WireNumbers = Readonly<Record<string, unknown>>;

export interface TruthCall {
  id?: string | null;
  name: string;
  arguments: unknown;
  /** The fragments joined; absent where the call came whole. */
  argumentsRaw?: string;
  /** False where they are no JSON. */
  argumentsValid?: boolean;
}

export interface ReasoningItem {
  type: string;
  reasoningText?: string | string[];
  summary?: string | string[];
}

export interface Truth {
  text?: string;
  thinking?: string;
  refusal?: string;
  toolCalls?: TruthCall[];
  /** The provider's own word. */
  stopReason?: string | number | null;
  /** Responses only: the status of the answer, which is what the stop reason is made from. */
  status?: string | null;
  incompleteDetails?: { reason?: string } | null;
  /** Responses only. */
  items?: ReasoningItem[];
  /** The numbers themselves, or in `merged` and `final`, by protocol. */
  usage?: WireNumbers & { merged?: WireNumbers; final?: WireNumbers };
  errors?: unknown[];
  /** The protocol's own end was seen. */
  complete: boolean;
  anomalies?: string[];
}

/** Where a recording is from and what was asked. */
export interface RecordingFacts {
  provider: string;
  model?: string | null;
  requestModel?: string | null;
  features?: string[];
  http?: { status?: number; responseHeaders?: Record<string, unknown> } | null;
}

/** A recorded answer with a status of 400 or more. */
export interface RecordedError extends RecordingFacts {
  status: number;
  headers?: Record<string, unknown> | null;
  body?: unknown;
  bodyText?: string | null;
}
