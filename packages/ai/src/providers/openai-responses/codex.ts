/** The Responses API of ChatGPT subscriptions, over a WebSocket or HTTP. */
import { resolveResponsesFlags } from "../../catalogue/compat/index.js";
import type { ApiAdapter } from "../../driver/index.js";
import { directFetch } from "../../transport/index.js";
import { registerSessionResourceCleanup } from "../../utils/session-resources.js";
import { buildCodexRequest, type OpenAICodexResponsesOptions, simpleCodexOptions } from "./codex-request.js";
import { CodexTransport, createCodexEventError } from "./codex-transport.js";
import { createResponsesMapping, RESPONSES_ENDED_EARLY } from "./stream.js";

/** @param transport keeps the connections */
export function createCodexAdapter(transport: CodexTransport): ApiAdapter<OpenAICodexResponsesOptions> {
  return {
    api: "openai-codex-responses",
    fetch: directFetch,
    endedEarly: RESPONSES_ENDED_EARLY,
    ownOptions: {
      toolChoice: true,
      reasoningEffort: true,
      reasoningSummary: true,
      serviceTier: true,
      textVerbosity: true,
    },
    simpleOptions: simpleCodexOptions,
    buildRequest: buildCodexRequest,
    send: (wireRequest, request, io) => transport.send(wireRequest, request, io),
    createMapping: ({ model, options }) =>
      createResponsesMapping(model.provider, resolveResponsesFlags(model), options.serviceTier, createCodexEventError),
  };
}

const transport = new CodexTransport();
registerSessionResourceCleanup((sessionId) => transport.close(sessionId));

export const openAICodexResponsesAdapter: ApiAdapter<OpenAICodexResponsesOptions> = createCodexAdapter(transport);
