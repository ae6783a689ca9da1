/** Frames to events. */
export { type AwsEvent, awsEventStream } from "./aws-event-stream.js";
export { type BodyDecoder, createBodyDecoder, DONE, type Framing } from "./body-decoder.js";
