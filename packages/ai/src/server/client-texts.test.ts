import { expect, it } from "vitest";
import { clientErrorText } from "./client-texts.js";

const shownOf = (text: string, status?: number): string =>
  clientErrorText(text, { kind: "unknown", ...(status && { status }) }, "https://api.host.example/v1");

it.each([
  ["fd12:3456::1 is down", "[address] is down"],
  ["refused by ::1:8080.", "refused by [address]."],
  ["fe80::1%eth0, [fe80::1%25eth0]:80", "[address], [address]"],
  ["llm.default.svc:8080 is down", "[address] is down"],
  ["asked metadata.goog and nas.home.arpa", "asked [address] and [address]"],
  ["lân.internal is down", "[address] is down"],
  [`${"a.".repeat(20)}local is down`, "[address] is down"],
  ["redis://user:pass@cache:6379/0 is down", "[address] is down"],
  ["at file:///srv/app/x.js:10", "at [address]"],
])("has no address of the network, in whatever form: %s", (text, shown) => {
  expect(shownOf(text)).toBe(shown);
  expect(shownOf(text, 500)).toBe(shown);
});

it.each([
  ["Cannot read C:\\srv\\keys\\ca.pem", "Cannot read [path]"],
  ["Cannot read 'C:\\Program Files\\app\\ca.pem'", "Cannot read '[path]'"],
  ["Cannot read \\\\files\\share\\ca.pem", "Cannot read [path]"],
  ["Cannot read /ca.pem", "Cannot read [path]"],
  ["Cannot read /srv/größe/ca.pem", "Cannot read [path]"],
  ["Cannot dial unix:/var/run/app.sock", "Cannot dial unix:[path]"],
])("has no path of a file: %s", (text, shown) => {
  expect(shownOf(text)).toBe(shown);
});

it.each(["see https://docs.example/a/b.html", "at 12:30:45, 3 of 4: x::y or std::vector", "tokens/minute and 5 / 6"])(
  "keeps what names nothing of the network: %s",
  (text) => {
    expect(shownOf(text)).toBe(text);
  },
);
