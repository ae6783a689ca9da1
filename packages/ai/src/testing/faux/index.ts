/** A provider that plays scripted responses. */
export {
  type FauxContentBlock,
  type FauxMessageOptions,
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
  type FauxPace,
  FauxPlayer,
  type FauxResponseFactory,
  type FauxResponseStep,
  type FauxState,
} from "./faux-player.js";
export {
  type FauxModelDefinition,
  type FauxProviderOptions,
  type FauxProviderRegistration,
  type RegisterFauxProviderOptions,
  registerFauxProvider,
} from "./faux-provider.js";
