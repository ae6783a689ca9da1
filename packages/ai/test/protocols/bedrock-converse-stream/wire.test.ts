/** Recorded responses of ConverseStream, replayed. */
import { describeWire } from "../../wire/describe-wire.js";

describeWire("bedrock-converse-stream");
