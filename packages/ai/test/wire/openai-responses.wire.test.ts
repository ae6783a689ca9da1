/** Recorded answers of Responses API servers, replayed. */
import { describeWire } from "./describe-wire.js";

describeWire("openai-responses");
