/** Recorded answers of the Gemini API, replayed. */
import { describeWire } from "./describe-wire.js";

describeWire("google-generative-ai");
