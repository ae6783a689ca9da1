/** Recorded answers of Chat Completions servers, replayed. */
import { describeWire } from "../../wire/describe-wire.js";

describeWire("openai-completions");
