/** Odd pictures and files, as users, tools and other libraries have them. */
import { BROKEN_PNG, movingGif } from "./samples.js";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
const base64 = (...parts: (string | readonly number[])[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  ).toString("base64");
const SIGN = "\x89PNG\r\n\x1a\n";
const header = (width: readonly number[], height: readonly number[]): (string | readonly number[])[] => [
  ...[SIGN, [0, 0, 0, 13], "IHDR", width, height, [8, 6, 0, 0, 0, 0, 0, 0, 0]],
];
const ONE = [0, 0, 0, 1];
/** The frame of a JPEG of 40 x 30 pixels in four colours. */
const SOF4 = [255, 192, 0, 20, 8, 0, 30, 0, 40, 4, 1, 17, 0, 2, 17, 0, 3, 17, 0, 4, 17, 0];
const png = (mimeType: string, data: string) => ({ mimeType, data });
const pdf = (text: string) => ({ mimeType: "application/pdf", data: base64(text) });

const PDF_TEXT = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF";
const WAVE = base64("RIFF", [36, 0, 0, 0], "WAVEfmt ", [16, 0, 0, 0, 1, 0, 1, 0]);
const file = (mimeType: unknown, ...parts: (string | readonly number[])[]) => ({
  mimeType: mimeType as string, // Not always one, as in an imported transcript.
  data: base64(...parts),
});
/** Types that say nothing, or something else than the bytes. */
const FILE_TYPES: readonly unknown[] = [
  ...[
    "application/octet-stream",
    "binary/octet-stream",
    "",
    " ",
    "pdf",
    "*/*",
    "application/*",
    "audio/*",
    "APPLICATION/PDF",
  ],
  ...[
    "application/pdf; version=1.4",
    "text/plain",
    "audio/wav",
    "image/png",
    "application/zip",
    "\ud83d",
    undefined,
    null,
  ],
];

/** By name: a picture or a file. */
export const ODD_FILES: Readonly<Record<string, { mimeType: string; data: string }>> = {
  "a picture": png("image/png", PIXEL),
  "a truncated picture": png("image/png", PIXEL.slice(0, 40)),
  "a picture of its first bytes": png("image/png", base64(SIGN)),
  "half of a first byte": png("image/png", "iV"),
  "a type that lies": png("image/jpeg", PIXEL),
  "image/jpg": png(
    "image/jpg",
    base64([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF\0", [1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9]),
  ),
  "a type in capitals": png("IMAGE/PNG", PIXEL),
  "a type with a parameter": png("image/png; charset=binary", PIXEL),
  "image/*": png("image/*", PIXEL),
  "an empty type of a picture": png("image/", PIXEL),
  "an animated PNG": png(
    "image/png",
    base64(...header(ONE, ONE), [0, 0, 0, 8], "acTL", [0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]),
  ),
  "an animated GIF": png(
    "image/gif",
    base64("GIF89a", [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255], "!\xff\x0bNETSCAPE2.0", [3, 1, 0, 0, 0, 0x3b]),
  ),
  "a GIF that moves": png("image/gif", movingGif(2, 40)),
  "a GIF that stands still": png("image/gif", movingGif(1, 40)),
  "a GIF that moves and is cut off": png("image/gif", movingGif(3, 40).slice(0, 88)),
  "a WebP that moves": png(
    "image/webp",
    base64(
      "RIFF",
      [40, 0, 0, 0],
      "WEBPVP8X",
      [10, 0, 0, 0, 2, 0, 0, 0, 39, 0, 0, 39, 0, 0],
      "ANIM",
      [6, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
  ),
  "a JPEG of four colours": png(
    "image/jpeg",
    base64([255, 216, 255, 238, 0, 14], "Adobe", [0, 100, 0, 0, 0, 0, 2], SOF4, [0, 0]),
  ),
  "a JPEG without a size": png("image/jpeg", base64([255, 216, 255, 224, 0, 16], "JFIF", [0, 1, 1, 0, 0, 1, 0, 1])),
  "a JPEG 2000": png("image/jp2", base64([0, 0, 0, 12], "jP  \r\n\x87\n", [0, 0, 0, 20], "ftypjp2 ")),
  "a JPEG XL": png("image/jxl", base64([0xff, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
  "a Photoshop file": png("image/vnd.adobe.photoshop", base64("8BPS", [0, 1, 0, 0, 0, 0, 0, 0, 0, 3])),
  "a PNG of one pixel's height": png(
    "image/png",
    base64(...header([0, 0, 0x4e, 0x20], ONE), "and the rest, which is as long as one is"),
  ),
  "a PNG of 20,000 pixels": png(
    "image/png",
    base64(...header([0, 0, 0x4e, 0x20], [0, 0, 0x4e, 0x20]), "and the rest, which is as long as one is"),
  ),
  "a PNG of 10 pixels": png(
    "image/png",
    base64(...header([0, 0, 0, 10], [0, 0, 0, 10]), "and the rest, which is as long as one is"),
  ),
  "a HEIF": png("image/heif", base64([0, 0, 0, 24], "ftypmif1", [0, 0, 0, 0])),
  "a TIFF of Motorola": png("image/tiff", base64("MM\0*", [0, 0, 0, 8])),
  "a type of another kind": png("text/html", PIXEL),
  "two data URLs": png("image/png", `data:image/png;base64,data:image/png;base64,${PIXEL}`),
  "a data URL without base64": png("image/png", "data:image/png,%89PNG"),
  "a data URL with a parameter": png("image/png", `data:image/png;charset=utf-8;base64,${PIXEL}`),
  "a data URL in capitals": png("image/png", `DATA:IMAGE/PNG;BASE64,${PIXEL}`),
  "a PNG that is cut off": png("image/png", BROKEN_PNG),
  "a JPEG that is cut off": png("image/jpeg", base64([255, 216], SOF4, [255, 218, 0, 2], "a scan without an end")),
  "a JPEG with something after its end": png(
    "image/jpeg",
    base64([255, 216], SOF4, [255, 218, 0, 2], "a scan", [255, 217], "and more".repeat(1000)),
  ),
  "a WebP that is cut off": png(
    "image/webp",
    base64("RIFF", [0, 4, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0, 39, 0, 0, 39, 0, 0]),
  ),
  "a huge PNG": png("image/png", base64(...header([0, 1, 0, 0], [0, 1, 0, 0]))),
  "a PNG of no size": png("image/png", base64(...header([0, 0, 0, 0], [0, 0, 0, 0]))),
  "a PNG of a negative size": png("image/png", base64(...header([255, 255, 255, 255], ONE))),
  "a WebP": png("image/webp", base64("RIFF", [21, 0, 0, 0], "WEBPVP8L", [13, 0, 0, 0, 0x2f, 0, 0, 0, 0, 0, 0, 0, 0])),
  "a BMP": png("image/bmp", base64("BM", [58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0])),
  "a TIFF": png("image/tiff", base64("II*\0", [8, 0, 0, 0])),
  "an AVIF": png("image/avif", base64([0, 0, 0, 28], "ftypavif", [0, 0, 0, 0])),
  "a HEIC": png("image/heic", base64([0, 0, 0, 24], "ftypheic", [0, 0, 0, 0])),
  "an icon": png("image/x-icon", base64([0, 0, 1, 0, 1, 0])),
  "an SVG": png("image/svg+xml", base64('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  "an SVG that says PNG": png("image/png", base64('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  "a page": png("image/png", base64("<html>Not found</html>")),
  "no data": png("image/png", ""),
  "data of blanks": png("image/png", " \n "),
  "a data URL": png("image/png", `data:image/png;base64,${PIXEL}`),
  "a data URL of another type": png("image/png", `data:image/jpeg;base64,${PIXEL}`),
  "an address": png("image/png", "https://a.test/a.png"),
  lines: png("image/png", PIXEL.replaceAll(/.{20}/g, "$&\n")),
  "lines of Windows": png("image/png", PIXEL.replaceAll(/.{20}/g, "$&\r\n")),
  "blanks around it": png("image/png", ` ${PIXEL}\n`),
  "base64 for addresses": png("image/png", PIXEL.replaceAll("+", "-").replaceAll("/", "_")),
  "base64 without its end": png("image/png", PIXEL.replaceAll("=", "")),
  "base64 with too much of an end": png("image/png", `${PIXEL}==`),
  "no base64": png("image/png", "*** not base64 ***"),
  "half an emoji": png("image/png", "\ud83d"),
  "a PDF": pdf(PDF_TEXT),
  "an encrypted PDF": pdf("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R/Encrypt 2 0 R>>\n%%EOF"),
  "a PDF of its first bytes": pdf("%PDF-"),
  "an empty PDF": pdf(""),
  "a PDF that is a picture": { mimeType: "application/pdf", data: PIXEL },
  "a picture that is a PDF": png("image/png", base64("%PDF-1.4\n%%EOF")),
  "a text": { mimeType: "text/plain", data: base64("Hi") },
  "an empty text": { mimeType: "text/plain", data: "" },
  "a text that is none": { mimeType: "text/plain", data: base64([0xff, 0xfe, 0, 0xd8]) },
  "a table": { mimeType: "text/csv", data: base64("a,b\n1,2") },
  "a sound": { mimeType: "audio/wav", data: base64("RIFF", [4, 0, 0, 0], "WAVE") },
  ...Object.fromEntries(
    FILE_TYPES.flatMap((type) => [
      [`a PDF that says ${type}`, file(type, PDF_TEXT)],
      [`a text that says ${type}`, file(type, "A text, größer than a header.")],
      [`a picture that says ${type}`, { mimeType: type as string, data: PIXEL }], // As above.
      [`a sound that says ${type}`, { mimeType: type as string, data: WAVE }], // As above.
      [`bytes that say ${type}`, file(type, [1, 2, 3, 0, 255, 254, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])],
      [`nothing that says ${type}`, file(type, "")],
    ]),
  ),
  "a text with a mark of its bytes": file("text/plain", [0xef, 0xbb, 0xbf], "Hi"),
  "a text in UTF-16": file("text/plain", [0xff, 0xfe, 72, 0, 105, 0, 0x3d, 0xd8]),
  "a text in UTF-16, the other way": file("text/csv", [0xfe, 0xff, 0, 97, 0, 44]),
  "a text in Latin-1": file("text/plain", "gr\xf6\xdfer als ein Kopf"),
  "a text of blanks": file("text/plain", " \n\t "),
  "a text of zeros": file("text/plain", [0, 0, 0, 0, 0, 0, 0, 0]),
  "a text in HTML": file("text/html", "<p>Hi</p>"),
  "a program": file("application/x-sh", "#!/bin/sh\necho hi\n"),
  "an object in JSON": file("application/json", '{"a":1}'),
  "an old Word document": file("application/msword", [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
  "a table of Excel": file(
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "PK\x03\x04",
    [20, 0, 6, 0],
  ),
  "a PDF that is cut off": file("application/pdf", PDF_TEXT.slice(0, 30)),
  "a PDF with a version of its own": file("application/x-pdf", PDF_TEXT),
  "a PDF after other bytes": file("application/pdf", "\n".repeat(100), PDF_TEXT),
  "a film": file("application/octet-stream", [0, 0, 0, 24], "ftypmp42", [0, 0, 0, 0], "mp42isom"),
  "a film of WebM": file("video/webm", [0x1a, 0x45, 0xdf, 0xa3, 1, 0, 0, 0, 0, 0, 0, 0x1f]),
  "sound without a header": file("audio/mpeg", [0x55, 0x12, 3, 0, 255, 254, 1, 2, 3, 4, 5, 6]),
  "sound in a film's container": file("audio/mp4", [0, 0, 0, 24], "ftypisom", [0, 0, 0, 0], "isom"),
  "a Word document": file(
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "PK\x03\x04",
    [20, 0, 6, 0, 8, 0, 0, 0, 33, 0],
  ),
  "a PDF with lines": { mimeType: "application/pdf", data: base64(PDF_TEXT).replaceAll(/.{20}/g, "$&\r\n") },
  "a PDF as a data URL": { mimeType: "", data: `data:application/pdf;base64,${base64(PDF_TEXT)}` },
  "a text as a data URL": { mimeType: "", data: `data:text/csv;base64,${base64("a,b\n1,2\n3,4\n")}` },
  "a text that is no base64": { mimeType: "text/plain", data: "*** not base64 ***" },
  "a PDF for addresses": {
    mimeType: "application/pdf",
    data: base64(`${PDF_TEXT}\xfb\xff`).replaceAll("+", "-").replaceAll("/", "_"),
  },
};
