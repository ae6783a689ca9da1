/** What the Gemini API and Vertex refuse. */
import * as find from "../../find.js";
import { addressBut, type Fields, fieldsOf, listOf, type RequestView } from "../../request-view.js";
import type { Finding, Rule } from "../../rule.js";
import { bmp, json, PNG, png } from "../../samples.js";
import { API, ask, called, NAME, picture, say, TYPES } from "./form.js";

import { GEMINI_TOOLS } from "./tools.js";

const PICTURES = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];

export const GEMINI_RULES: readonly Rule[] = [
  ...GEMINI_TOOLS,
  {
    id: "gemini/half-pair",
    refuses: "half of a surrogate pair anywhere in the body",
    find: find.halfPair,
    says: "Invalid JSON payload received. Invalid UTF-8 at {at}.",
    source: "datatracker.ietf.org/doc/html/rfc8259#section-8.2",
    date: "2017-12",
    certainty: "supposed",
    example: say({ text: "a\ud83d" }),
  },
  {
    id: "gemini/no-contents",
    refuses: "a request without contents",
    find: find.noTurns,
    says: "* GenerateContentRequest.contents: contents is not specified\n",
    source: API,
    date: "2026-11",
    certainty: "documented",
    example: { contents: [] },
  },
  {
    id: "gemini/role",
    refuses: "a role other than user and model",
    find: find.otherRole("user", "model"),
    says: "Please use a valid role: user, model.",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    example: { contents: [{ role: "assistant", parts: [{ text: "Hi" }] }] },
  },
  {
    id: "gemini/empty-parts",
    refuses: "a content without parts",
    find: find.emptyTurn("user", "model"),
    says: "* GenerateContentRequest.{at}.parts: contents.parts must not be empty.\n",
    source: "egoist/chatwise-releases#250",
    date: "2025-02",
    certainty: "reported",
    example: say(),
  },
  {
    id: "gemini/empty-part",
    refuses: "a part without data: neither a text nor anything else",
    find: ({ body }) => {
      for (const [turn, { parts }] of listOf(body["contents"]).entries()) {
        const index = listOf(parts).findIndex((part) => Object.keys(part).every((key) => /^thought/.test(key)));
        if (index >= 0) return { at: `contents[${turn}].parts[${index}]` };
      }
      return undefined;
    },
    says: "* GenerateContentRequest.{at}.data: required oneof field 'data' must have one initialized field\n",
    source: "boldsoftware/sketch#68",
    date: "2025-05",
    certainty: "reported",
    example: say({}),
  },
  {
    id: "gemini/file-address",
    refuses: "an address that is neither of the web nor of a bucket of Google",
    find: addressBut(/^(?:https?|gs):\/\/.|^[^:]+$/),
    says: "Unsupported file uri: {address}",
    source: "gunpal5/Google_GenerativeAI#54",
    date: "2025-07",
    certainty: "reported",
    example: say({ fileData: { mimeType: "image/png", fileUri: "s3://bucket/a.png" } }),
  },
  {
    id: "gemini/call-name",
    refuses: "a call in the history whose name breaks the rule of a tool's name",
    find: find.callName(NAME),
    says: "* GenerateContentRequest.{at}: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n",
    source: "google-gemini/gemini-cli#6704",
    date: "2025-08",
    certainty: "reported",
    example: called([{ name: "$lookup" }], [{ name: "$lookup" }]),
  },
  {
    id: "gemini/call-args",
    refuses: "a call whose arguments are no object",
    find: ({ calls }) => {
      const found = calls.find(
        ({ input }) => input !== undefined && (typeof input !== "object" || Array.isArray(input)),
      );
      return found && { at: found.at };
    },
    says: "Invalid value at '{at}.function_call.args' (type.googleapis.com/google.protobuf.Struct)",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    example: called([{ args: [] }], [{}]),
  },
  {
    id: "gemini/response-object",
    refuses: "a response of a function that is no object",
    find: ({ body }) => {
      const parts = listOf(body["contents"]).flatMap((content) => listOf(content["parts"]));
      const bad = parts.some(({ functionResponse }) => {
        const { response } = fieldsOf(functionResponse);
        return (
          functionResponse !== undefined &&
          (typeof response !== "object" || response === null || Array.isArray(response))
        );
      });
      return bad ? { at: "contents" } : undefined;
    },
    says: "Invalid value at '{at}.function_response.response' (type.googleapis.com/google.protobuf.Struct)",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    example: called([{}], [{ response: [] }]),
  },
  {
    id: "gemini/response-count",
    refuses: "another number of responses than calls in the content before",
    find: responseCount,
    says: "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    source: "google-gemini/gemini-cli#16132",
    date: "2026-01",
    certainty: "reported",
    example: called([{}, {}], [{}]),
  },
  {
    id: "gemini/call-order",
    refuses: "calls that do not follow a content of the user",
    find: ({ calls, turns }) => {
      const found = calls.find(({ turn }) => turns[turn - 1]?.role !== "user");
      return found && { at: found.at };
    },
    says: "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    source: "google-gemini/gemini-cli#11814",
    date: "2025-10",
    certainty: "reported",
    example: {
      contents: Array.isArray(called([{}], [{}])["contents"]) ? listOf(called([{}], [{}])["contents"]).slice(1) : [],
    },
  },
  {
    id: "gemini/last-role",
    refuses: "a content of the model at the end, from Gemini 3 on",
    find: (request) => (isFromThree(request) ? find.endsWith("model")(request) : undefined),
    says: "Please ensure that multiturn requests ends with a user turn or a function response. Requests ending with a model turn are not supported.",
    source: "anomalyco/opencode#45359",
    date: "2026-09",
    certainty: "reported",
    example: { contents: [ask, { role: "model", parts: [{ text: "Well" }] }] },
  },
  {
    id: "gemini/response-beside-text",
    refuses: "a text after the responses of functions in one content, from Gemini 3 on",
    find: (request) => {
      const found = isFromThree(request)
        ? request.parts.find(
            ({ kind, turn, inResult }) =>
              kind === "text" && !inResult && request.results.some((result) => result.turn === turn),
          )
        : undefined;
      return found && { at: found.at };
    },
    says: "Requests ending with a model turn are not supported.",
    source: "google/oss-rebuild#1559",
    date: "2026-09",
    certainty: "reported",
    example: {
      contents: [
        ...listOf(called([{ thoughtSignature: "c2ln" }], [{}])["contents"]).slice(0, 2),
        { role: "user", parts: [{ functionResponse: { name: "read", response: {} } }, { text: "Hi" }] },
      ],
    },
  },
  {
    id: "gemini/thought-signature",
    refuses: "a first call of the current turn without its thought signature, from Gemini 3 on",
    find: missingSignature,
    says: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
    source: "lbjlaq/Antigravity-Manager#3202",
    date: "2026-06",
    certainty: "reported",
    example: called([{}], [{}]),
  },
  {
    id: "gemini/signature-base64",
    refuses: "a thought signature that is no base64",
    find: ({ body }) => {
      const parts = listOf(body["contents"]).flatMap((content) => listOf(content["parts"]));
      const bad = parts.some(
        ({ thoughtSignature: value }) => value !== undefined && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(String(value)),
      );
      return bad ? { at: "contents" } : undefined;
    },
    says: "Invalid value at '{at}.thought_signature' (TYPE_BYTES), Base64 decoding failed",
    source: API,
    date: "2026-11",
    certainty: "documented",
    example: say({ text: "a", thoughtSignature: "no base64!" }),
  },
  {
    id: "gemini/picture-type",
    refuses: "a picture of another type than PNG, JPEG, WebP, HEIC and HEIF",
    find: find.pictureType(...PICTURES, "image/gif"),
    says: "Unsupported MIME type: {type}",
    source: "brianpetro/obsidian-smart-connections#1238",
    date: "2026-01",
    certainty: "reported",
    example: say(picture("image/bmp", bmp())),
  },
  {
    id: "gemini/picture-gif",
    refuses: "a GIF",
    find: find.pictureType(...PICTURES),
    says: "Unsupported MIME type: {type}",
    source: "discuss.ai.google.dev/t/gemini-2-api-returns-invalid-parameter-error-for-gif-inputs/71468",
    date: "2025-03",
    certainty: "supposed",
    example: say(picture("image/gif", PNG)),
  },
  {
    id: "gemini/picture-data",
    refuses: "a picture without data, or that is no picture",
    find: find.pictures(({ data, type }, { format }) =>
      data === "" || (format === "other" && !/hei[cf]$/.test(type ?? "")) ? {} : undefined,
    ),
    says: "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
    source: "egoist/chatwise-releases#799",
    date: "2025-05",
    certainty: "reported",
    example: say(picture("image/png", "")),
  },
  {
    id: "gemini/file-type",
    refuses: "a file without a type of its own",
    find: find.files(({ type = "" }) =>
      type === "application/octet-stream" || !/^[a-z]+\/[\w.+-]+$/.test(type) ? {} : undefined,
    ),
    says: "Unsupported MIME type: {type}",
    source: "waooAI/waoowaoo#89",
    date: "2026-03",
    certainty: "reported",
    example: say(picture("application/octet-stream", PNG)),
  },
  {
    id: "gemini/document-type",
    refuses: "a document of an office program, or an archive",
    find: find.files(({ type = "" }) =>
      /^application\/(?:vnd\.|msword|zip|gzip|rtf|x-|octet-stream)/.test(type) ? {} : undefined,
    ),
    says: "Unsupported MIME type: {type}",
    source: "googleapis/python-genai#829",
    date: "2025-05",
    certainty: "reported",
    example: say(picture("application/msword", json("a document of an office"))),
  },
  {
    id: "gemini/inline-bytes",
    refuses: "files and pictures of more than 100 MB in a request",
    find: ({ parts }) => {
      const bytes = parts.reduce((sum, { data = "" }) => sum + data.length, 0);
      return bytes > 100 * 1024 * 1024 * (4 / 3) ? { at: "contents", bytes } : undefined;
    },
    says: "Request payload size exceeds the limit: 104857600 bytes.",
    source: "ai.google.dev/gemini-api/docs/file-input-methods",
    date: "2026-11",
    certainty: "documented",
    example: say(picture("image/png", png(10, 10, 106_000_000))),
  },
];

/** Vertex has the rules of the Gemini API, and does not know ids of calls. */
export const VERTEX_RULES: readonly Rule[] = [
  ...GEMINI_RULES.map((rule) => ({ ...rule, id: rule.id.replace("gemini/", "vertex/") })),
  {
    id: "vertex/call-id",
    refuses: "an id of a call or of its response, of Gemini",
    find: ({ calls, results, model }) => {
      const found = /gemini/.test(model) ? [...calls, ...results].find(({ id }) => id !== undefined) : undefined;
      return found && { at: found.at };
    },
    says: "Invalid JSON payload received. Unknown name \"id\" at '{at}.function_call': Cannot find field.",
    source: "vercel/ai#15891",
    date: "2026-07",
    certainty: "reported",
    example: called([{ id: "a1" }], [{}]),
  },
];

function responseCount({ calls, results, turns }: RequestView): Finding | undefined {
  for (const [turn, { at }] of turns.entries()) {
    const asked = calls.filter((call) => call.turn === turn).length;
    const answered = results.filter((result) => result.turn === turn + 1).length;
    if (asked > 0 && asked !== answered) return { at };
    if (turn === 0 && results.some((result) => result.turn === 0)) return { at };
    if (asked === 0 && answered > 0) return { at };
  }
  return undefined;
}

function isFromThree({ model }: Pick<RequestView, "model">): boolean {
  return /gemini-([3-9]|flash-latest|pro-latest)/.test(model);
}

function missingSignature({ body, model }: RequestView): Finding | undefined {
  if (!isFromThree({ model })) return undefined;
  const contents = listOf(body["contents"]);
  const isResponse = (content: Fields): boolean =>
    listOf(content["parts"]).some((part) => part["functionResponse"] !== undefined);
  const begin = contents.findLastIndex((content) => content["role"] === "user" && !isResponse(content)) + 1;
  for (const [offset, content] of contents.slice(begin).entries()) {
    const first = listOf(content["parts"]).find((part) => part["functionCall"] !== undefined);
    const name = String(fieldsOf(first?.["functionCall"])["name"]);
    if (first && !first["thoughtSignature"]) return { at: `contents[${begin + offset}]`, name };
  }
  return undefined;
}
