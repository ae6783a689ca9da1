/** Recorded responses of the Mistral API, replayed. */
import { describeWire } from "../../wire/describe-wire.js";

describeWire("mistral-conversations");
