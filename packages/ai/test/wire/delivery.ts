/** The ways in which each recorded body is sent. */
import { testsOf } from "../protocols/all-apis.js";
import { splitAwsFrames } from "../support/aws-frames.js";
import type { PreparedResponse } from "../support/exchange.js";
import { betweenCrAndLf, type Cut, randomPieces, singleBytes, sseEvents, whole, withCrlf } from "./cut.js";
import type { ErrorRecording, StreamRecording } from "./recordings.js";

export interface Delivery {
  way: string;
  response: PreparedResponse;
}

/** Headers of the recorded connection, not of the response. */
const CONNECTION_HEADERS =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|trailer|upgrade|te|date|server)$/i;
const PRINTABLE = /^[\t\x20-\x7e]*$/;
/** Single bytes, written in one turn of the event loop. Each stays a separate chunk on the wire. */
const BYTES_AT_ONCE = 512;

export function streamDeliveries(recording: StreamRecording): Delivery[] {
  return isBinary(recording) ? frameDeliveries(recording) : sseDeliveries(recording);
}

export function errorDelivery({ facts, body }: ErrorRecording): Delivery {
  const headers = { "content-type": "application/json", ...usableHeaders(facts.headers) };
  return { way: "whole", response: { status: facts.status, headers, pieces: [body] } };
}

function sseDeliveries(recording: StreamRecording): Delivery[] {
  const { body, name } = recording;
  return [
    deliver("whole", recording, body, whole),
    deliver("one event a write", recording, body, sseEvents),
    deliver("one byte a write", recording, body, singleBytes(), BYTES_AT_ONCE),
    deliver("random pieces", recording, body, randomPieces(name)),
    deliver("CRLF line ends", recording, withCrlf(body), betweenCrAndLf),
  ];
}

function frameDeliveries(recording: StreamRecording): Delivery[] {
  const { body, name, reframed } = recording;
  return [
    deliver("whole", recording, body, whole),
    deliver("one frame a write", recording, body, splitAwsFrames),
    deliver("one byte a write", recording, body, singleBytes(), BYTES_AT_ONCE),
    deliver("random pieces", recording, body, randomPieces(name)),
    ...(reframed ? [deliver("frames encoded anew", recording, reframed, splitAwsFrames)] : []),
  ];
}

function deliver(way: string, recording: StreamRecording, body: Buffer, cut: Cut, burst = 1): Delivery {
  const { http } = recording.facts;
  const headers = usableHeaders(http?.responseHeaders);
  if (isBinary(recording)) headers["content-type"] = "application/vnd.amazon.eventstream";
  else if (!headers["content-type"]?.startsWith("text/event-stream")) headers["content-type"] = "text/event-stream";
  return { way, response: { status: http?.status ?? 200, headers, pieces: cut(body), burst } };
}

function isBinary({ api }: StreamRecording): boolean {
  return testsOf(api).recordings?.framing === "aws-event-stream";
}

function usableHeaders(recorded: Record<string, unknown> | null | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(recorded ?? {})) {
    if (typeof value === "string" && PRINTABLE.test(value) && !CONNECTION_HEADERS.test(name))
      headers[name.toLowerCase()] = value;
  }
  return headers;
}
