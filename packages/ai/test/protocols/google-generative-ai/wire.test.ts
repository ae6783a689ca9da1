/** Recorded responses of the Gemini API, replayed. */
import { describeWire } from "../../wire/describe-wire.js";

describeWire("google-generative-ai");
