/** Recorded answers of Bedrock's ConverseStream, replayed. */
import { describeWire } from "./describe-wire.js";

describeWire("bedrock-converse-stream");
