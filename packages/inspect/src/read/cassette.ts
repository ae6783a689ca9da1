/** The exchanges of a cassette, as `record` of `pi-ai/testing` writes it. */
import type { Entry, Section } from "../record/entry.js";
import { type Fields, fieldsOf, numberOf, textOf, titleOf, toJson } from "../record/fields.js";
import { describePrompt, promptOfBody } from "../record/prompt.js";
import { Run } from "../record/run.js";
import { copyCassetteTest } from "./copy-cassette-test.js";
import type { ReadLine } from "./read-lines.js";

interface Exchange {
  request: Fields;
  response: Fields | undefined;
  chunks: Fields[];
  end: Fields | undefined;
}

/** One run, with an entry for each exchange. A cassette holds no dates, so times count from the first request. */
export function readCassette(lines: readonly ReadLine[], source: string, prefix = ""): Run[] {
  const run = new Run({ id: `${prefix}1`, title: `Recording ${source}`, source, model: "" });
  const exchanges = collect(lines, (problem) =>
    run.add({ kind: "note", name: "note", title: titleOf(problem), outcome: "done", turn: 0 }, () => [
      { kind: "text", title: "Note", text: problem },
    ]),
  );
  for (const [index, exchange] of exchanges.entries()) {
    const previous = exchanges[index - 1];
    run.add(
      toEntry(exchange, index + 1),
      () => describe(exchange),
      () => describeRequest(exchange, previous),
    );
  }
  run.copyTest = () =>
    copyCassetteTest(
      lines.flatMap(({ fields, problem }) => (problem === undefined ? [`${JSON.stringify(fields)}\n`] : [])).join(""),
      exchanges.map(({ request }) => request),
    );
  run.finish(exchanges.some((exchange) => outcomeOf(exchange) === "error") ? "error" : "done");
  return [run];
}

function collect(lines: readonly ReadLine[], onProblem: (text: string) => void): Exchange[] {
  const exchanges = new Map<unknown, Exchange>();
  for (const { number, fields, problem } of lines) {
    const own = exchanges.get(fields["exchange"]);
    if (problem !== undefined) onProblem(problem);
    else if (fields["type"] === "request")
      exchanges.set(fields["exchange"], { request: fields, response: undefined, chunks: [], end: undefined });
    else if (!own) onProblem(`Line ${number} belongs to no request`);
    else if (fields["type"] === "response") own.response = fields;
    else if (fields["type"] === "chunk") own.chunks.push(fields);
    else if (fields["type"] === "end") own.end = fields;
  }
  return [...exchanges.values()];
}

function outcomeOf({ response, end }: Exchange): Entry["outcome"] {
  if (!response || (numberOf(response["status"]) ?? 0) >= 400) return "error";
  return end && end["error"] === undefined ? "done" : "aborted";
}

function toEntry(exchange: Exchange, turn: number): Entry {
  const { request, response, chunks, end } = exchange;
  const [firstMs, durationMs] = [numberOf(chunks[0]?.["at"]), numberOf(end?.["at"])];
  return {
    kind: "request",
    name: textOf(fieldsOf(request["body"])["model"]),
    title: titleOf(
      `${textOf(request["method"])} ${textOf(request["url"])} ${String(response?.["status"] ?? "no response")}`,
    ),
    outcome: outcomeOf(exchange),
    turn,
    ...(firstMs !== undefined && { firstMs }),
    ...(durationMs !== undefined && { durationMs }),
  };
}

function describe({ request, response, chunks, end }: Exchange): Section[] {
  const rows: [string, string][] = [
    ["Request", `${textOf(request["method"])} ${textOf(request["url"])}`],
    ["Status", String(response?.["status"] ?? "no response")],
    ["Headers after", `${String(response?.["at"] ?? "–")} ms`],
    ["First piece after", `${String(chunks[0]?.["at"] ?? "–")} ms`],
    ["End after", `${String(end?.["at"] ?? "–")} ms`],
  ];
  if (typeof end?.["error"] === "string") rows.push(["Broken off", end["error"]]);
  return [
    { kind: "table", title: "Exchange", rows },
    { kind: "text", title: "Response as received", text: chunks.map(decode).join("") },
  ];
}

function describeRequest({ request, response }: Exchange, previous: Exchange | undefined): Section[] {
  const { body } = request;
  const headers = { request: request["headers"], response: response?.["headers"] };
  return [
    ...describePrompt(promptOfBody(body), previous && promptOfBody(previous.request["body"])),
    { kind: "text", title: "Request body", text: typeof body === "string" ? body : toJson(body, 2) },
    { kind: "text", title: "Headers", text: toJson(headers, 2) },
  ];
}

function decode(chunk: Fields): string {
  if (typeof chunk["base64"] === "string") return Buffer.from(chunk["base64"], "base64").toString();
  return textOf(chunk["text"]);
}
