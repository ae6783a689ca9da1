/** Recorded responses of the Responses API, replayed. */
import { describeWire } from "../../wire/describe-wire.js";

describeWire("openai-responses");
