/** Reads text, thoughts, images and files from the parts of Google's stream, and writes them into requests. */
import type { MessageSink } from "../../message/index.js";
import type { WireCall } from "./function-calls.js";
import { type SignedSpan, writeSignedSpans } from "./signed-spans.js";

/** A part of a response, in which nothing is certain. */
export interface WirePart {
  text?: unknown;
  thought?: unknown;
  thoughtSignature?: unknown;
  functionCall?: WireCall | null;
  inlineData?: unknown;
  fileData?: unknown;
  executableCode?: unknown;
  codeExecutionResult?: unknown;
  toolCall?: unknown;
  toolResponse?: unknown;
}

interface OpenProse {
  type: "text" | "thinking";
  key: string;
  length: number;
  spans: SignedSpan[];
  /** The number of spans and the text length when the block's signature was last written. */
  written: { spans: number; length: number };
}

export class ProseReader {
  /** The keys of the text blocks, in order. */
  readonly textKeys: string[] = [];
  #open: OpenProse | undefined;
  #count = 0;

  /** @param signature empty if the part has none */
  add(text: string, thought: boolean, signature: string, sink: MessageSink): void {
    if (text === "" && signature === "") return;
    const type = thought ? "thinking" : "text";
    const prose = this.#open?.type === type ? this.#open : this.#begin(type, sink);
    const from = prose.length;
    if (text !== "") {
      sink.append(prose.key, text);
      prose.length += text.length;
    }
    if (signature !== "") prose.spans.push({ from, to: prose.length, signature });
  }

  /** Completes the text so far, because another block begins. */
  interrupt(sink: MessageSink): void {
    this.sign(sink);
    this.#open = undefined;
  }

  /** Writes the signatures that have arrived to the block. */
  sign(sink: MessageSink): void {
    const prose = this.#open;
    if (!prose || prose.spans.length === 0) return;
    const { key, type, spans, length, written } = prose;
    if (written.spans === spans.length && written.length === length) return;
    prose.written = { spans: spans.length, length };
    const signature = writeSignedSpans(spans, length);
    sink.patch(key, type === "text" ? { textSignature: signature } : { thinkingSignature: signature });
  }

  #begin(type: OpenProse["type"], sink: MessageSink): OpenProse {
    this.interrupt(sink);
    const key = `${type}:${this.#count++}`;
    if (type === "text") this.textKeys.push(key);
    sink.open(key, { type });
    this.#open = { type, key, length: 0, spans: [], written: { spans: 0, length: 0 } };
    return this.#open;
  }
}
