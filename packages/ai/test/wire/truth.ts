/** The content of a recording, in the format of the folder's README: only the fields that are read here. */

/** Numbers as the provider sent them, in objects of any depth. */
export type WireNumbers = Readonly<Record<string, unknown>>;

export interface TruthCall {
  id?: string | null;
  name: string;
  arguments: unknown;
  /** The joined fragments; absent if the tool call arrived complete. */
  argumentsRaw?: string;
  /** False if they are not JSON. */
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
  /** The provider's own value. */
  stopReason?: string | number | null;
  /** Responses API only: the status of the response, from which the stop reason follows. */
  status?: string | null;
  incompleteDetails?: { reason?: string } | null;
  /** Responses API only. */
  items?: ReasoningItem[];
  /** The numbers themselves, or in `merged` and `final`, depending on the api. */
  usage?: WireNumbers & { merged?: WireNumbers; final?: WireNumbers };
  errors?: unknown[];
  /** The api's own end marker arrived. */
  complete: boolean;
  anomalies?: string[];
}

/** The origin of a recording and its request. */
export interface RecordingFacts {
  provider: string;
  model?: string | null;
  requestModel?: string | null;
  features?: string[];
  http?: { status?: number; responseHeaders?: Record<string, unknown> } | null;
}

/** A recorded response with a status of 400 or more. */
export interface RecordedError extends RecordingFacts {
  status: number;
  headers?: Record<string, unknown> | null;
  body?: unknown;
  bodyText?: string | null;
}
