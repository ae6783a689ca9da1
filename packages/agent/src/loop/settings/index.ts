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
  isModelRole,
  isObject,
  isOneOf,
  isText,
  refuse,
} from "./check-options.js";
export { buildStreamOptions, checkRunSettings, pickStreamOptions } from "./run-settings.js";
export {
  AGENT_SETTINGS,
  type AgentSetting,
  CALL_SETTINGS,
  type CallSetting,
  type CallSettings,
  type CommonStreamOptions,
  callSettingOf,
  checkStreamOption,
  isSetting,
  pickCallSettings,
  SETTINGS,
  STREAM_OPTION_NAMES,
  STREAM_OPTIONS,
  TOOL_SETTINGS,
} from "./settings.js";
