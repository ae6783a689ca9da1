/** Recorded answers of the Mistral API, replayed. */
import { describeWire } from "./describe-wire.js";

describeWire("mistral-conversations");
