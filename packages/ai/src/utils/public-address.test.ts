import { expect, it } from "vitest";
import { isLoopback } from "./loopback.js";
import { parsePublicAddress, parseWebAddress } from "./public-address.js";

it.each([
  "https://a.example/a.pdf",
  "http://93.184.215.14/",
  "https://8.8.8.8:8443/x?y#z",
  "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
  "https://bücher.example/größe.pdf",
  "https://172.32.0.1/",
  "https://100.128.0.1/",
  "https://local.example/",
  "HTTPS://A.Example/a",
])("is public: %s", (address) => {
  expect(parsePublicAddress(address)?.href).toBe(new URL(address).href);
});

it.each([
  "http://localhost/",
  "http://localhost./",
  "http://LOCALHOST:8080/",
  "http://a.localhost/",
  "http://redis/",
  "http://redis:6379/",
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://printer.local/",
  "http://nas.home.arpa/",
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f.0.0.1/",
  "http://0177.0.0.1/",
  "http://①②⑦.0.0.1/",
  "http://127。0。0。1/",
  "http://127.0.0.1./",
  "http://0/",
  "http://10.1.2.3/",
  "http://100.64.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.0.1/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://[::]/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[2001::1]/",
  "http://[fe80::1]/",
  "http://[fc00::1]/",
  "http://[fd00:ec2::254]/",
  "http://[ff02::1]/",
  "http://user:pass@a.example/",
  "http://a.example@127.0.0.1/",
  "http://a.example\\@127.0.0.1/",
  "http://127.0.0.1\\.a.example/",
  "http://a.example/\u0000",
  " https://a.example/",
  "https://a.exa\tmple/",
  "https://generativelanguage.googleapis.com/v1beta/files/f",
  "httpx://a.example/",
  "httpx:a.example",
  "https:a.example/x",
  "https:/a.example/x",
  "https:///a.example/x",
  "http:\\\\a.example/x",
  "https://user@a.example/",
  "https://:pass@a.example/",
  "https://@a.example/",
  "ftp://a.example/",
  "file:///etc/passwd",
  "s3://bucket/key",
  "https:",
  "",
])("is not public: %j", (address) => {
  expect(parsePublicAddress(address)).toBeUndefined();
});

it.each([
  "http://localhost/",
  "HTTP://LOCALHOST:11434/v1",
  "http://localhost.:11434",
  "http://a.localhost",
  "https://127.0.0.1:8080?x",
  "http://127.1/v1",
  "http://2130706433/v1",
  "http://0.0.0.0:8000/v1",
  "http://[::1]:8000/v1",
])("is of this machine: %s", (address) => {
  expect(isLoopback(address)).toBe(true);
  expect(parseWebAddress(address)?.href).toBe(new URL(address).href);
});

it.each([
  "http://localhost@a.example/",
  "http://localhost:80@a.example/",
  "http://localhost\\@a.example/",
  "http://localhost.a.example/",
  "http://a.example/localhost",
  "http://127.0.0.1.a.example/",
  "http://notlocalhost/",
  "httpx://localhost/",
  "http:localhost/",
  "http://user:pass@localhost/",
  "https://{location}-aiplatform.googleapis.com",
  "",
  undefined,
])("is not of this machine: %s", (address) => {
  expect(isLoopback(address)).toBe(false);
});

it.each([
  "http://168.63.129.16/machine?comp=goalstate",
  "http://metadata.goog/computeMetadata/v1/",
  "http://metadata.google.internal/",
  "http://api.default.svc/",
  "http://api.default.svc.cluster.local./",
  "http://127.0.0.1.nip.io/",
  "http://127.0.0.1.nip.io../",
  "http://metadata.google.internal../",
  "http://app.localtest.me/",
  "http://10-0-0-1.0123456789abcdef.plex.direct/",
  "http://7f000001.0a000001.rbndr.us/",
  "http://127-0-0-1.local-ip.sh/",
  "http://localhost6.localdomain6/",
  "http://192.0.2.1/",
  "http://198.51.100.1/",
  "http://203.0.113.1/",
])("does not take %s for public", (address) => {
  expect(parsePublicAddress(address)).toBeUndefined();
});
