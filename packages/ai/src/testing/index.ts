/**
 * For tests of code that uses models: prepared responses, scripts for agents, and recordings of real providers.
 *
 * @module pi-ai/testing
 */

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
export {
  type FauxModelDefinition,
  type FauxPace,
  type FauxProviderOptions,
  type FauxProviderRegistration,
  type FauxResponseFactory,
  type FauxResponseStep,
  type FauxState,
  type RegisterFauxProviderOptions,
  registerFauxProvider,
} from "./faux-provider.js";
export { type RecordOptions, record } from "./record.js";
export { type ReplayFetch, type ReplayOptions, replay } from "./replay.js";
export {
  assertStableCache,
  createScriptedStreamFn,
  type ScriptedRequest,
  type ScriptedStreamFn,
} from "./scripted-stream-fn.js";
