/**
 * Keeps long conversations within the window of their model.
 *
 * @module pi-agent/compact
 */
export { type Compaction, compact, compactedMessages } from "../compact/compact.js";
export type { CompactionEvent, CompactOptions, ManualCompactOptions } from "../compact/compact-options.js";
export {
  type CompactionFacts,
  type CompactionMessage,
  type CompactionReason,
  isCompactionMessage,
  type MessageIdentity,
} from "../compact/compaction-message.js";
