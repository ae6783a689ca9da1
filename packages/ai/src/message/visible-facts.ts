/**
 * Makes visible what a server says to people beside the model's own output: diagnostics, sources, the names of models and
 * files. Whoever prints it to a terminal would run its escape sequences.
 */

import type { AssistantMessage, AssistantMessageDiagnostic, Citation } from "../types/message.js";
import { isObject } from "../utils/is-object.js";
import { parseWebAddress } from "../utils/public-address.js";
import { visibleLine, visibleText } from "../utils/visible-text.js";
import { setOwn } from "../wire/index.js";
import type { Failure } from "./message-sink.js";

/** Notes that hold what the model itself wrote, token by token. */
const OWN_WORDS: ReadonlySet<string> = new Set(["logprobs"]);

/** Deeper details are not for people. */
const MAX_DEPTH = 32;

export function visibleFacts<TFacts extends Partial<AssistantMessage>>(facts: TFacts): TFacts {
  const { responseModel, diagnostics } = facts;
  return {
    ...facts,
    ...(responseModel === undefined ? {} : { responseModel: visibleLine(responseModel) }),
    ...(diagnostics === undefined ? {} : { diagnostics: diagnostics.map(visibleDiagnostic) }),
  };
}

export function visibleDiagnostic(note: AssistantMessageDiagnostic): AssistantMessageDiagnostic {
  // The copy has the same shape: only texts change, and what is nested too deep for a reader.
  return OWN_WORDS.has(note.type) ? note : (visibleData(note) as AssistantMessageDiagnostic);
}

export function visibleFailure({ reason, errorMessage, error }: Failure): Failure {
  const { kind, requestId } = error;
  return {
    reason,
    errorMessage: visibleText(errorMessage),
    error: {
      ...error,
      // A relay may send a kind that this version does not know.
      kind: visibleLine(kind) as typeof kind,
      ...(requestId === undefined ? {} : { requestId: visibleLine(requestId) }),
    },
  };
}

/**
 * A page links the `url`, so anything but an address of the web, such as `javascript:`, becomes the name of the source. The
 * signature is opaque and goes back as it came.
 */
export function visibleCitation({ url, ...rest }: Citation): Citation {
  const place = url !== undefined && (parseWebAddress(url) ? { url } : { source: url });
  const shown: Citation = { ...place, ...rest };
  for (const name of ["url", "title", "source"] as const) {
    const text = shown[name];
    if (typeof text === "string") shown[name] = visibleLine(text);
  }
  if (typeof shown.quote === "string") shown.quote = visibleText(shown.quote);
  return shown;
}

/** Plain data with visible texts and keys. */
function visibleData(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return visibleText(value);
  if (!isObject(value)) return value;
  if (depth === MAX_DEPTH) return "[nested too deeply]";
  if (Array.isArray(value)) return value.map((item) => visibleData(item, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(copy, visibleLine(key), visibleData(item, depth + 1));
  return copy;
}
