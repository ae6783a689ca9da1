/** The settings of a run: names, checks and defaults. */
export {
  assertMessage,
  type Check,
  type Checks,
  checkOptions,
  describeValue,
  isAnything,
  isCount,
  isFlag,
  isFunction,
  isObject,
  isOneOf,
  isText,
  refuse,
} from "./check-options.js";
export {
  AGENT_SETTINGS,
  type AgentSetting,
  CALL_SETTINGS,
  type CallSetting,
  type CallSettings,
  checkRunSettings,
  checkStreamOption,
  isSetting,
  pickCallSettings,
  pickStreamOptions,
  SETTINGS,
} from "./settings.js";
export { buildStreamOptions, type CommonStreamOptions, STREAM_OPTION_NAMES, STREAM_OPTIONS } from "./stream-options.js";
