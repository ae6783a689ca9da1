/** Recorded answers of the Anthropic Messages API, replayed. */
import { describeWire } from "./describe-wire.js";

describeWire("anthropic-messages");
