/** Recorded answers of Responses API servers, replayed. */
import { describeWire } from "../../wire/describe-wire.js";

describeWire("openai-responses");
