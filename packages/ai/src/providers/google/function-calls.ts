/** Reads function calls from Google's stream, whole or with arguments in pieces (Vertex). */
import { createToolCallId, type MessageSink, wholeArguments } from "../../message/index.js";
import { isText } from "../../utils/read-text.js";
import { PartialArguments, type WirePartialArg } from "./partial-arguments.js";

export interface WireCall {
  id?: unknown;
  name?: unknown;
  args?: unknown;
  /** In place of `args`, from gateways that convert the api. */
  arguments?: unknown;
  partialArgs?: (WirePartialArg | null)[] | null;
  /** More pieces follow. */
  willContinue?: unknown;
}

interface OpenCall {
  key: string;
  pieces: PartialArguments;
}

export class FunctionCallReader {
  #count = 0;
  #open: OpenCall | undefined;

  /** A part with a name starts a function call; one without continues the open function call. */
  add(call: WireCall, thoughtSignature: string | undefined, sink: MessageSink): void {
    const named = typeof call.name === "string" && call.name !== "";
    if (named || (!this.#open && hasContent(call))) this.#begin(call, thoughtSignature, sink);
    else if (this.#open) sink.patch(this.#open.key, { thoughtSignature });
    const open = this.#open;
    if (!open) return;
    if (Array.isArray(call.partialArgs)) {
      for (const piece of call.partialArgs) if (piece) sink.append(open.key, open.pieces.write(piece));
    }
    if (call.willContinue !== true) this.#end(open, call.args ?? call.arguments, sink);
  }

  #begin(call: WireCall, thoughtSignature: string | undefined, sink: MessageSink): void {
    // A function call that never ended stays incomplete.
    if (this.#open) sink.close(this.#open.key);
    const name = typeof call.name === "string" ? call.name : "";
    const key = `call:${this.#count++}`;
    // Gemini often omits the id.
    const id = isText(call.id) ? call.id : createToolCallId();
    sink.open(key, { type: "toolCall", id, name, thoughtSignature });
    this.#open = { key, pieces: new PartialArguments() };
  }

  #end({ key, pieces }: OpenCall, args: unknown, sink: MessageSink): void {
    sink.append(key, pieces.begun ? pieces.end() : wholeArguments(args));
    sink.close(key);
    this.#open = undefined;
  }
}

function hasContent(call: WireCall): boolean {
  return (
    (call.args ?? call.arguments) !== undefined || (Array.isArray(call.partialArgs) && call.partialArgs.length > 0)
  );
}
