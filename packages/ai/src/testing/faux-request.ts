/** What a request says that a provider would leave out, so that a test finds it, too. */
import { noteUnknownOptions, SIMPLE_OPTIONS } from "../driver/index.js";
import { unreadFieldsOf } from "../message/index.js";
import type { OptionsByApi } from "../providers/options-by-api.generated.js";
import { noteStrayResults } from "../request/index.js";
import type { RequestNote } from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { Model } from "../types/model.js";
import type { StreamOptions } from "../types/options.js";

type KeysOf<TOptions> = TOptions extends unknown ? keyof TOptions : never;

/** The options that single apis have. A script may play a model of any of them. */
const OWN_OPTIONS: Readonly<Record<Exclude<KeysOf<OptionsByApi[keyof OptionsByApi]>, keyof StreamOptions>, true>> = {
  azureApiVersion: true,
  azureBaseUrl: true,
  azureDeploymentName: true,
  azureResourceName: true,
  bearerToken: true,
  client: true,
  credentials: true,
  effort: true,
  interleavedThinking: true,
  location: true,
  profile: true,
  project: true,
  promptMode: true,
  reasoning: true,
  reasoningEffort: true,
  reasoningSummary: true,
  region: true,
  requestMetadata: true,
  textVerbosity: true,
  thinking: true,
  thinkingBudgetTokens: true,
  thinkingBudgets: true,
  thinkingDisplay: true,
  thinkingEnabled: true,
  toolChoice: true,
};

/** The diagnostics of the response: what no provider reads. */
export function noteFauxRequest({ api }: Model, context: Context, options: StreamOptions): RequestNote[] {
  const fields = unreadFieldsOf(context);
  return [
    ...noteUnknownOptions(api, { options, shared: SIMPLE_OPTIONS, own: OWN_OPTIONS }),
    ...(fields ? [{ type: "unread_fields", details: { fields } }] : []),
    ...noteStrayResults(context.messages),
  ];
}
