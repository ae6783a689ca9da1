/** Recorded responses of the Anthropic Messages API, replayed. */
import { describeWire } from "../../wire/describe-wire.js";

describeWire("anthropic-messages");
