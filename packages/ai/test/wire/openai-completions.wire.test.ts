/** Recorded answers of Chat Completions servers, replayed. */
import { describeWire } from "./describe-wire.js";

describeWire("openai-completions");
