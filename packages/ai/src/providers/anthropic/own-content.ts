/** What `late-content.ts` loads: the code for content that few conversations have. */
export { OwnBlocks, toCitation, withoutOpaque } from "./own-blocks.js";
export {
  checkAttachments,
  runningContainer,
  settleServerTools,
  toAttachmentBlock,
  toOwnBlocks,
  toWireCitations,
} from "./own-request.js";
export { noteRuns, reportedCost } from "./own-usage.js";
