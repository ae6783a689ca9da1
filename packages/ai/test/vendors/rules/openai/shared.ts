/** What OpenAI refuses on both of its apis. */
import * as find from "../../find.js";
import { addressBut, type Fields, fieldsOf } from "../../request-view.js";
import type { Rule } from "../../rule.js";
import { bmp, movingGif, PDF, PNG, png } from "../../samples.js";
import { type OpenAIForm, TYPES } from "./form.js";
import { toolRules } from "./tools.js";

const IMAGES = "developers.openai.com/api/docs/guides/images-vision";

/** Rules of both wire formats. */
export function sharedRules(form: OpenAIForm): Rule[] {
  const { vendor, idLength, called, say, text, picture, file } = form;
  return [
    ...toolRules(form),
    {
      id: `${vendor}/half-pair`,
      refuses: "half of a surrogate pair anywhere in the body",
      find: find.halfPair,
      says: "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
      source: "datatracker.ietf.org/doc/html/rfc8259#section-8.2",
      date: "2017-12",
      certainty: "supposed",
      example: say(text("a\ud83d")),
    },
    {
      id: `${vendor}/call-name`,
      refuses: "a call in the history whose name has other characters than letters, digits, `_` and `-`",
      find: find.callName(/^[a-zA-Z0-9_-]*$/),
      says: "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      code: "invalid_value",
      source: "mcp-use/mcp-use#90",
      date: "2025-05",
      certainty: "reported",
      example: called([{ name: "a.b" }], ["a1"]),
    },
    {
      id: `${vendor}/call-name-empty`,
      refuses: "a call in the history without a name",
      find: find.callName(/./s),
      says: "Invalid '{at}': empty string. Expected a string with minimum length 1, but got an empty string instead.",
      code: "empty_string",
      source: "continuedev/continue#11645",
      date: "2026-03",
      certainty: "reported",
      example: called([{ name: "" }], ["a1"]),
    },
    {
      id: `${vendor}/call-name-length`,
      refuses: "a call in the history whose name has more than 64 characters",
      find: find.callName(/^.{0,64}$/s),
      says: "Invalid '{at}': string too long. Expected a string with maximum length 64.",
      code: "string_above_max_length",
      source: TYPES,
      date: "2026-11",
      certainty: "documented",
      example: called([{ name: "x".repeat(300) }], ["a1"]),
    },
    {
      id: `${vendor}/call-id-length`,
      refuses: `a call whose id has no character, or more than ${idLength}`,
      find: find.callId(new RegExp(`^.{1,${idLength}}$`, "s")),
      says: `Invalid '{at}': string too long. Expected a string with maximum length ${idLength}, but got a string with length {length} instead.`,
      code: "string_above_max_length",
      source: idLength === 40 ? "langmanus/langmanus#119" : "AnswerDotAI/fastllm#45",
      date: idLength === 40 ? "2025-03" : "2026-06",
      certainty: "reported",
      example: called([{ id: "x".repeat(idLength + 1) }], ["x".repeat(idLength + 1)]),
    },
    {
      id: `${vendor}/call-arguments`,
      refuses: "a call whose arguments are no text",
      find: ({ calls }) => {
        const found = calls.find(({ input }) => typeof input !== "string");
        return found && { at: found.at };
      },
      says: "Invalid type for '{at}.arguments': expected a string, but got an object instead.",
      code: "invalid_type",
      source: TYPES,
      date: "2026-11",
      certainty: "documented",
      example: called([{ arguments: {} }], ["a1"]),
    },
    {
      id: `${vendor}/picture-format`,
      refuses: "a picture that is no PNG, JPEG, GIF or WebP by its bytes",
      find: find.pictureFormat("png", "jpeg", "gif", "webp"),
      says: "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      code: "invalid_image_format",
      source: IMAGES,
      date: "2026-11",
      certainty: "documented",
      example: say(picture(`data:image/bmp;base64,${bmp()}`)),
    },
    {
      id: `${vendor}/animation`,
      refuses: "a GIF of more than one picture",
      find: find.pictures((_part, { frames = 1 }) => (frames > 1 ? { frames } : undefined)),
      says: "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      code: "invalid_image_format",
      source: IMAGES,
      date: "2026-11",
      certainty: "documented",
      example: say(picture(`data:image/gif;base64,${movingGif(2)}`)),
    },
    {
      id: `${vendor}/picture-type`,
      refuses: "a picture whose data URL does not say an image type",
      find: find.pictures(({ type }) => (/^image\/./.test(type ?? "") || type === "url" ? undefined : {})),
      says: "Invalid MIME type. Only image types are supported.",
      code: "invalid_image_format",
      source: "langgenius/dify#11527",
      date: "2024-12",
      certainty: "reported",
      example: say(picture(`data:application/octet-stream;base64,${PNG}`)),
    },
    {
      id: `${vendor}/file-address`,
      refuses: "an address that is none of the web",
      find: addressBut(/^https?:\/\/./),
      says: "Invalid image URL. The URL must be a valid HTTP or HTTPS URL, or a data URL with base64 encoding.",
      code: "invalid_image_url",
      source: "labring/FastGPT#1697",
      date: "2024-06",
      certainty: "reported",
      example: say(picture("s3://bucket/a.png")),
    },
    {
      id: `${vendor}/picture-bytes`,
      refuses: "pictures of more than 50 MB in a request",
      find: find.pictureBytes(50_000_000),
      says: "Invalid image: the image exceeds the maximum size.",
      code: "image_too_large",
      source: IMAGES,
      date: "2026-11",
      certainty: "documented",
      example: say(picture(`data:image/png;base64,${png(10, 10, 51_000_000)}`)),
    },
    {
      id: `${vendor}/file-name`,
      refuses: "a file as data without a name",
      find: find.files(({ name, data }) =>
        data !== undefined && (name === undefined || name === "") ? {} : undefined,
      ),
      says: "Missing required parameter: '{at}.filename'.",
      code: "missing_required_parameter",
      source: idLength === 40 ? "openai/openai-agents-python#1513" : "laravel/ai#321",
      date: idLength === 40 ? "2025-08" : "2026-03",
      certainty: "reported",
      example: say(file(undefined, `data:application/pdf;base64,${PDF}`)),
    },
    {
      id: `${vendor}/temperature`,
      refuses: "a temperature other than 1 from GPT-5 on, unless it does not think",
      find: find.field(
        "temperature",
        (value, { model, body }) => /gpt-[5-9](?!.*-chat)|^o\d/.test(model) && value !== 1 && effortOf(body) !== "none",
      ),
      says: "Unsupported value: 'temperature' does not support {value} with this model. Only the default (1) value is supported.",
      code: "unsupported_value",
      source: "gabrii/Cursor-Azure-GPT-5#33",
      date: "2025-09",
      certainty: "reported",
      example: { model: "gpt-5", temperature: 0 },
    },
    {
      id: `${vendor}/cache-key`,
      refuses: "a key of the prompt cache with more than 64 characters",
      find: find.field("prompt_cache_key", (value) => [...String(value)].length > 64),
      says: "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64.",
      code: "string_above_max_length",
      source: "earendil-works/pi#4719",
      date: "2026-05",
      certainty: "reported",
      example: { prompt_cache_key: "x".repeat(65) },
    },
  ];
}

function effortOf(body: Fields): unknown {
  return body["reasoning_effort"] ?? fieldsOf(body["reasoning"])["effort"];
}
