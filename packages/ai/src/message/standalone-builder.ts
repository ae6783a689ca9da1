/** The builder of messages for callers outside of a request, which cannot wait for code to be loaded. */
import { StreamingJsonParser } from "../wire/index.js";
import { AssistantMessageBuilder, type BuilderOptions } from "./assistant-message-builder.js";
import { streamingParser } from "./tool-arguments.js";

/** Assembles one message from the operations of a mapping, and emits its events. */
export class StandaloneBuilder extends AssistantMessageBuilder {
  constructor(options: BuilderOptions) {
    streamingParser.use({ StreamingJsonParser });
    super(options);
  }
}
