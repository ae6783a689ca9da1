/** What ConverseStream refuses: pictures and documents. */
import * as find from "../../find.js";
import type { PartView, RequestView } from "../../request-view.js";
import type { Finding, Rule } from "../../rule.js";
import { bmp, PNG, png } from "../../samples.js";
import { API, ask, document, isClaude, picture, say, VISION } from "./form.js";

const LIMITS = "docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html";

export const BEDROCK_MEDIA: readonly Rule[] = [
  {
    id: "bedrock/picture-format",
    refuses: "a picture that is declared as anything but PNG, JPEG, GIF and WebP",
    find: find.pictureType("png", "jpeg", "gif", "webp"),
    says: "1 validation error detected: Value '{type}' at '{at}.image.format' failed to satisfy constraint: Member must satisfy enum value set: [gif, jpeg, png, webp]",
    source: `${API}/API_runtime_ImageBlock.html`,
    date: "2026-11",
    certainty: "documented",
    example: say(picture("bmp", bmp())),
  },
  {
    id: "bedrock/other-picture",
    refuses: "a picture whose bytes are of another format than it says",
    find: find.otherPicture,
    says: "The model returned the following errors: messages.0.content.0.image.source.base64: The image was specified using the image/{type} media type, but the image appears to be a image/{format} image",
    source: "vybestack/llxprt-code#2130",
    date: "2026-06",
    certainty: "reported",
    example: say(picture("jpeg", PNG)),
  },
  {
    id: "bedrock/picture-data",
    refuses: "a picture without data, or that is no picture",
    find: find.pictureFormat("jpeg", "png", "gif", "webp"),
    says: "The model returned the following errors: Could not process image",
    source: `${API}/API_runtime_ImageSource.html`,
    date: "2026-11",
    certainty: "documented",
    example: say(picture("png", "")),
  },
  {
    id: "bedrock/picture-bytes",
    refuses: "a picture of more than 5 MB in base64, for Claude",
    find: (request) => (isClaude(request) ? find.pictureLength(5 * 1024 * 1024)(request) : undefined),
    says: "The model returned the following errors: image exceeds 5 MB maximum: {length} bytes > 5242880 bytes",
    source: VISION,
    date: "2026-11",
    certainty: "documented",
    example: say(picture("png", png(10, 10, 4_500_000))),
  },
  {
    id: "bedrock/picture-pixels",
    refuses: "a picture of more than 8,000 pixels on a side, for Claude",
    find: (request) => (isClaude(request) ? find.pictureSize(8000)(request) : undefined),
    says: "The model returned the following errors: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    source: `${API}/API_runtime_Message.html`,
    date: "2026-11",
    certainty: "documented",
    example: say(picture("png", png(9000, 10))),
  },
  {
    id: "bedrock/many-pictures",
    refuses:
      "a picture of more than 2,000 pixels on a side in a request with more than 20 pictures and documents, for Claude",
    find: (request) => (isClaude(request) ? manyLarge(request) : undefined),
    says: "The model returned the following errors: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    source: VISION,
    date: "2026-11",
    certainty: "documented",
    example: say(...Array.from({ length: 21 }, () => picture("png", png(2400, 10)))),
  },
  {
    id: "bedrock/picture-count",
    refuses: "more than 20 pictures in a request",
    find: find.pictureCount(20),
    says: "The number of images exceeds the limit of 20.",
    source: `${API}/API_runtime_Message.html`,
    date: "2026-11",
    certainty: "supposed",
    example: say(...Array.from({ length: 21 }, () => picture("png", PNG))),
  },
  {
    id: "bedrock/picture-role",
    refuses: "a picture or a document in a message of the assistant",
    find: ({ parts }) => {
      const found = parts.find(({ kind, role }) => (kind === "picture" || kind === "file") && role === "assistant");
      return found && { at: found.at };
    },
    says: "You can only include images and documents if the role is user.",
    source: `${API}/API_runtime_Message.html`,
    date: "2026-11",
    certainty: "documented",
    example: { messages: [ask, { role: "assistant", content: [picture("png", PNG)] }, ask] },
  },
  {
    id: "bedrock/document-name",
    refuses: "a document whose name has other characters than letters, digits, single spaces, `-`, `()` and `[]`",
    find: find.files(({ name }) =>
      typeof name === "string" && /^[a-zA-Z0-9 \-()[\]_]{1,200}$/.test(name) && !/ {2}/.test(name)
        ? undefined
        : { name: String(name) },
    ),
    says: "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name conforms to these restrictions and retry your request.",
    source: `${API}/API_runtime_DocumentBlock.html`,
    date: "2026-11",
    certainty: "documented",
    example: say({ text: "a" }, document({ name: "a.pdf" })),
  },
  {
    id: "bedrock/same-document-name",
    refuses: "two documents with one name",
    find: ({ parts }) => {
      const files = parts.filter(({ kind }) => kind === "file");
      const twice = files.find(({ name }, index) => files.findIndex((other) => other.name === name) !== index);
      return twice && { at: twice.at };
    },
    says: "Duplicate document names in the request: document names must be unique.",
    source: `${API}/API_runtime_DocumentBlock.html`,
    date: "2026-11",
    certainty: "documented",
    example: say({ text: "a" }, document({}), document({})),
  },
  {
    id: "bedrock/document-format",
    refuses: "a document of an unknown format",
    find: find.files(({ type = "" }) => (/^(pdf|csv|docx?|xlsx?|html|txt|md)$/.test(type) ? undefined : {})),
    says: "1 validation error detected: Value '{type}' at '{at}.document.format' failed to satisfy constraint: Member must satisfy enum value set: [csv, doc, docx, html, md, pdf, txt, xls, xlsx]",
    source: `${API}/API_runtime_DocumentBlock.html`,
    date: "2026-11",
    certainty: "documented",
    example: say({ text: "a" }, document({ format: "pptx" })),
  },
  {
    id: "bedrock/document-text",
    refuses: "a message with a document and no text",
    find: documentAlone,
    says: "A text block is required when a message contains a document.",
    source: `${API}/API_runtime_Message.html`,
    date: "2026-11",
    certainty: "documented",
    example: say(document({})),
  },
  {
    id: "bedrock/document-count",
    refuses: "more than 5 documents in a request",
    find: find.files((_part, all) => (all > 5 ? {} : undefined)),
    says: "The number of documents exceeds the limit of 5.",
    source: LIMITS,
    date: "2026-11",
    certainty: "documented",
    example: say({ text: "a" }, ...Array.from({ length: 6 }, (_, index) => document({ name: `a${index}` }))),
  },
  {
    id: "bedrock/document-bytes",
    refuses: "a document of more than 4.5 MB, but for a PDF for Claude from 4 on, a PDF or a DOCX for Nova",
    find: (request) => {
      const free = /nova/.test(request.model) ? /^(pdf|docx)$/ : isClaude(request) ? /^pdf$/ : /^$/;
      const isLarge = ({ data = "", type = "" }: PartView): boolean =>
        !free.test(type) && data.length * 0.75 > 4.5 * 1024 * 1024;
      return find.files((part) => (isLarge(part) ? {} : undefined))(request);
    },
    says: "The size of the document exceeds the limit of 4.5 MB.",
    source: LIMITS,
    date: "2026-11",
    certainty: "documented",
    example: say({ text: "a" }, document({ format: "txt", source: { bytes: png(1, 1, 5_000_000) } })),
  },
];

/** On Bedrock documents count as pictures do. */
function manyLarge(request: RequestView): Finding | undefined {
  const blocks = request.parts.filter(({ kind }) => kind === "picture" || kind === "file").length;
  return blocks > 20 ? find.pictureSize(2000)(request) : undefined;
}

function documentAlone({ parts, turns }: RequestView): Finding | undefined {
  for (const [turn, { at }] of turns.entries()) {
    const own = parts.filter((part) => part.turn === turn && !part.inResult);
    if (own.some(({ kind }) => kind === "file") && !own.some(({ kind }) => kind === "text")) return { at };
  }
  return undefined;
}
