/** Recorded responses of the Chat Completions API, replayed. */
import { describeWire } from "../../wire/describe-wire.js";

describeWire("openai-completions");
