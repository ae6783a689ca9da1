/** More pictures, documents and sounds, as cameras, office programs and browsers write them. */
import { BROKEN_PNG, jpeg, movingGif, png as pngOf, webp } from "./samples.js";

type Part = string | readonly number[];

const base64 = (...parts: Part[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  ).toString("base64");
const file = (mimeType: string, ...parts: Part[]) => ({ mimeType, data: base64(...parts) });
const given = (mimeType: string, data: string) => ({ mimeType, data });

const SIGN = "\x89PNG\r\n\x1a\n";
/** A PNG of 40 x 30 pixels, with a depth of bits and a type of colour. */
const pngKind = (depth: number, colour: number, interlaced = 0): Part[] => [
  ...[SIGN, [0, 0, 0, 13], "IHDR", [0, 0, 0, 40, 0, 0, 0, 30], [depth, colour, 0, 0, interlaced], [1, 2, 3, 4]],
  ...["a body of some bytes", [0, 0, 0, 0], "IEND", [0xae, 0x42, 0x60, 0x82]],
];
/** A JPEG of 40 x 30 pixels with this first segment and this kind of frame. */
const jpegKind = (segment: Part[], frame: number): Part[] => [
  ...[[255, 216], ...segment, [255, frame, 0, 17, 8, 0, 30, 0, 40, 3, 1, 34, 0, 2, 17, 1, 3, 17, 1]],
  ...[[255, 218, 0, 12, 3, 1, 0, 2, 17, 3, 17, 0, 63, 0], "a scan of some bytes", [255, 217]],
];
const EXIF: Part[] = [
  [255, 225, 0, 34],
  "Exif\0\0MM\0*",
  [0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0],
];
const pdf = (...lines: string[]) => file("application/pdf", `%PDF-1.7\n${lines.join("\n")}\n%%EOF\n`);
const OFFICE = "application/vnd.openxmlformats-officedocument";

/** By name: a picture or a file. */
export const MORE_FILES: Readonly<Record<string, { mimeType: string; data: string }>> = {
  "a PNG of 16 bits": file("image/png", ...pngKind(16, 6)),
  "a PNG of one bit": file("image/png", ...pngKind(1, 0)),
  "a PNG with a palette": file("image/png", ...pngKind(8, 3)),
  "an interlaced PNG": file("image/png", ...pngKind(8, 2, 1)),
  "a PNG with bytes after its end": file("image/png", ...pngKind(8, 2), "and more".repeat(200)),
  "a PNG after a blank": file("image/png", " ", ...pngKind(8, 2)),
  "a PNG without its first byte": given(
    "image/png",
    Buffer.from(pngOf(40, 30), "base64").subarray(1).toString("base64"),
  ),
  "a PNG that says GIF": given("image/gif", pngOf(40, 30)),
  "a broken PNG that says JPEG": given("image/jpeg", BROKEN_PNG),
  "a PNG of 7,999 pixels": given("image/png", pngOf(7999, 40)),
  "a PNG of 8,000 pixels": given("image/png", pngOf(8000, 40)),
  "a PNG of 8,001 pixels": given("image/png", pngOf(40, 8001)),
  "a PNG of 6,000 x 6,000 pixels": given("image/png", pngOf(6000, 6000)),
  "a rotated JPEG": file("image/jpeg", ...jpegKind(EXIF, 192)),
  "a progressive JPEG": file("image/jpeg", ...jpegKind([], 194)),
  "an arithmetic JPEG": file("image/jpeg", ...jpegKind([], 201)),
  "a JPEG with a comment": file("image/jpeg", ...jpegKind([[255, 254, 0, 6], "hey!"], 192)),
  "a JPEG with fill bytes": file("image/jpeg", ...jpegKind([[255, 255, 255, 224, 0, 4, 0, 0]], 192)),
  "a JPEG that says image/pjpeg": given("image/pjpeg", jpeg(40, 30)),
  "a JPEG that says image/jpg": given("image/jpg", jpeg(40, 30)),
  "a PNG that says image/x-png": given("image/x-png", pngOf(40, 30)),
  "a JPEG of one pixel": given("image/jpeg", jpeg(1, 1)),
  "a GIF of one pixel": given("image/gif", movingGif(1, 1)),
  "a GIF of 87": given(
    "image/gif",
    Buffer.from(movingGif(1, 40), "base64").toString("latin1").replace("GIF89a", "GIF87a"),
  ),
  "a GIF of 200 pictures": given("image/gif", movingGif(200, 40)),
  "a WebP of one pixel": given("image/webp", webp(1, 1)),
  "a WebP that says PNG": given("image/png", webp(40, 30)),
  "a WAV that says WebP": file("image/webp", "RIFF", [36, 0, 0, 0], "WAVEfmt "),
  "a cursor": file("image/x-icon", [0, 0, 2, 0, 1, 0, 16, 16, 0, 0]),
  "an icon of Microsoft": file("image/vnd.microsoft.icon", [0, 0, 1, 0, 1, 0, 16, 16, 0, 0]),
  "an icon that says PNG": file("image/png", [0, 0, 1, 0, 1, 0, 16, 16, 0, 0]),
  "a BMP that says PNG": file(
    "image/png",
    "BM",
    [58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
  ),
  "a big TIFF": file("image/tiff", "II+\0", [8, 0, 0, 0]),
  "a TIFF that says JPEG": file("image/jpeg", "II*\0", [8, 0, 0, 0]),
  "a HEIC of a phone that says JPEG": file("image/jpeg", [0, 0, 0, 24], "ftypheic", [0, 0, 0, 0], "mif1heic"),
  "a moving HEIC": file("image/heic-sequence", [0, 0, 0, 24], "ftyphevc", [0, 0, 0, 0]),
  "an AVIF that moves": file("image/avif", [0, 0, 0, 28], "ftypavis", [0, 0, 0, 0]),
  "an SVG with a prolog": file(
    "image/svg+xml",
    '<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"></svg>',
  ),
  "an SVG that is packed": file("image/svg+xml", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
  "an SVG that says nothing": file("image/*", "<svg/>"),
  "an EPS": file("image/x-eps", "%!PS-Adobe-3.0 EPSF-3.0\n"),
  "an error in JSON": file("image/png", '{"error":"not found"}'),
  "a picture with a type of a camera": file("image/x-canon-cr2", "II*\0", [16, 0, 0, 0], "CR\x02\0"),
  "a PDF without pages": pdf(
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
    "2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj",
    "trailer<</Root 1 0 R>>",
  ),
  "a PDF of 700 pages": pdf(
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
    "2 0 obj<</Type/Pages/Count 700>>endobj",
    "trailer<</Root 1 0 R>>",
  ),
  "a PDF with a password": pdf(
    "1 0 obj<</Type/Catalog>>endobj",
    "3 0 obj<</Filter/Standard/V 5/R 6/P -1084>>endobj",
    "trailer<</Root 1 0 R/Encrypt 3 0 R>>",
  ),
  "a PDF for the web": pdf(
    "1 0 obj<</Linearized 1/L 1/N 1>>endobj",
    "2 0 obj<</Type/Catalog>>endobj",
    "trailer<</Root 2 0 R>>",
  ),
  "a PDF 2.0": file("application/pdf", "%PDF-2.0\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"),
  "a PDF with a mark of its bytes": file("application/pdf", [0xef, 0xbb, 0xbf], "%PDF-1.4\n%%EOF"),
  "a PDF without an end": file("application/pdf", "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n"),
  "a page that says PDF": file("application/pdf", "<!doctype html><title>404</title>"),
  "a Word document that says PDF": file("application/pdf", "PK\x03\x04", [20, 0, 6, 0, 8, 0, 0, 0, 33, 0, 0, 0]),
  slides: file(`${OFFICE}.presentationml.presentation`, "PK\x03\x04", [20, 0, 6, 0, 8, 0, 0, 0, 33, 0, 0, 0]),
  "a Word document with macros": file(
    "application/vnd.ms-word.document.macroEnabled.12",
    "PK\x03\x04",
    [20, 0, 6, 0, 8, 0, 0, 0, 33, 0, 0, 0],
  ),
  "an old table of Excel": file("application/vnd.ms-excel", [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
  "a text of LibreOffice": file(
    "application/vnd.oasis.opendocument.text",
    "PK\x03\x04",
    [20, 0, 6, 0, 8, 0, 0, 0, 33, 0, 0, 0],
  ),
  "a book": file(
    "application/epub+zip",
    "PK\x03\x04",
    [20, 0, 6, 0, 8, 0, 0, 0, 33, 0, 0, 0],
    "mimetypeapplication/epub+zip",
  ),
  "a rich text": file("application/rtf", "{\\rtf1\\ansi Hi}"),
  "a page": file("text/html; charset=utf-8", "<!doctype html><html><body>Hi</body></html>"),
  "a page of XHTML": file("application/xhtml+xml", "<html xmlns='http://www.w3.org/1999/xhtml'/>"),
  "a text of Markdown": file("text/markdown", "# Title\n\nText"),
  "a text of Markdown by another type": file("text/x-markdown", "# Title"),
  "a table with tabs": file("text/tab-separated-values", "a\tb\n1\t2"),
  "a table with a mark of its bytes": file("text/csv", [0xef, 0xbb, 0xbf], "a;b\n1;2"),
  "a table of nothing": file("text/csv", ""),
  "a calendar": file("text/calendar", "BEGIN:VCALENDAR\nEND:VCALENDAR"),
  "a card": file("text/vcard", "BEGIN:VCARD\nEND:VCARD"),
  "a file of YAML": file("application/yaml", "a: 1\n"),
  "a file of XML": file("application/xml", "<a/>"),
  "lines of JSON": file("application/x-ndjson", '{"a":1}\n{"a":2}\n'),
  "JSON for links": file("application/ld+json", "{}"),
  "TypeScript that says a film": file("video/mp2t", "export const a = 1;\n"),
  "a program in Python": file("text/x-python", "print('hi')\n"),
  JavaScript: file("application/javascript", "let a = 1;"),
  "a notebook": file("application/x-ipynb+json", '{"cells":[]}'),
  "a database": file("application/vnd.sqlite3", "SQLite format 3\0"),
  "an archive": file(
    "application/zip",
    "PK\x05\x06",
    Array.from({ length: 18 }, () => 0),
  ),
  "a packed archive": file("application/gzip", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
  "a program that runs": file("application/x-msdownload", "MZ", [0x90, 0, 3, 0]),
  "a mail": file("message/rfc822", "From: a@a.test\nSubject: Hi\n\nHi"),
  "a font": file("font/woff2", "wOF2", [0, 1, 0, 0]),
  "a sound of MP3 with a title": file("audio/mpeg", "ID3", [4, 0, 0, 0, 0, 0, 0], [255, 251, 144, 0]),
  "a sound of MP3 by another type": file("audio/mp3", [255, 251, 144, 0, 0, 0, 0, 0]),
  "a sound of Ogg": file("audio/ogg", "OggS", [0, 2, 0, 0, 0, 0], "OpusHead"),
  "a sound of FLAC": file("audio/flac", "fLaC", [0, 0, 0, 34]),
  "a sound of AIFF": file("audio/aiff", "FORM", [0, 0, 0, 20], "AIFF"),
  "a sound of AAC": file("audio/aac", [255, 241, 80, 128, 0, 31, 252]),
  "a sound of a phone": file("audio/x-m4a", [0, 0, 0, 24], "ftypM4A ", [0, 0, 0, 0]),
  "a sound of WebM": file("audio/webm;codecs=opus", [0x1a, 0x45, 0xdf, 0xa3], "webm"),
  "a sound of WAV by another type": file("audio/x-wav", "RIFF", [36, 0, 0, 0], "WAVEfmt ", [16, 0, 0, 0, 1, 0, 1, 0]),
  "raw sound": file("audio/pcm", [0, 0, 1, 0, 2, 0]),
  "sound of a telephone": file("audio/basic", ".snd", [0, 0, 0, 24]),
  "a sound of nothing": file("audio/wav", ""),
  "a film of QuickTime": file("video/quicktime", [0, 0, 0, 20], "ftypqt  ", [0, 0, 0, 0]),
  "a film of MPEG": file("video/mpeg", [0, 0, 1, 0xba, 0x44]),
  "a text that says a sound": file("audio/mpeg", "no sound at all, but a text"),
};
