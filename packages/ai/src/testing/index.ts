/**
 * For tests of code that uses models: prepared responses, scripts for agents, and recordings of real providers.
 *
 * @module pi-ai/testing
 */

export { assertStableCache } from "./assert-stable-cache.js";
export {
  type FauxContentBlock,
  type FauxMessageOptions,
  type FauxResponse,
  fauxAssistantMessage,
  fauxCompaction,
  fauxFile,
  fauxImage,
  fauxServerTool,
  fauxText,
  fauxThinking,
  fauxToolCall,
} from "./faux-message.js";
export type { FauxPace, FauxResponseFactory, FauxResponseStep, FauxState } from "./faux-player.js";
export {
  type FauxModelDefinition,
  type FauxProviderOptions,
  type FauxProviderRegistration,
  type RegisterFauxProviderOptions,
  registerFauxProvider,
} from "./faux-provider.js";
export { type RecordOptions, record } from "./record.js";
export { type ReplayFetch, type ReplayOptions, replay } from "./replay.js";
export { createScriptedStreamFn, type ScriptedRequest, type ScriptedStreamFn } from "./scripted-stream-fn.js";
