/**
 * Keeps long conversations within the window of their model.
 *
 * @module pi-agent/compact
 */
export { type Compaction, compact, compactedMessages } from "./compact.js";
export type { CompactionEvent, CompactOptions, ManualCompactOptions } from "./compact-options.js";
export {
  type CompactionFacts,
  type CompactionMessage,
  type CompactionReason,
  isCompactionMessage,
  type MessageIdentity,
} from "./context-view.js";
