/** Which requests take the light way. */

import { expect, test } from "vitest";
import { plainRequest } from "../../../src/network/http-fetch/plain-request.ts";

const here = "http://127.0.0.1/";

test("NET3 a text or bytes to a web address are plain", () => {
  expect(plainRequest(here)).toMatchObject({ method: "GET", body: null, redirect: "follow" });
  expect(plainRequest(new URL(here), { method: "post", body: "hi" })).toMatchObject({
    method: "POST",
    body: Buffer.from("hi"),
  });
  expect(plainRequest(here, { method: "POST", body: new Uint8Array(3) })?.headers.get("content-length")).toBe("3");
  expect(plainRequest(here, { method: "POST", body: "ä" })?.headers.get("content-length")).toBe("2");
});

test("NET3 headers that were asked for stay as they are", () => {
  const headers = { "User-Agent": "me", "content-type": "application/json", "accept-encoding": "br" };
  const plain = plainRequest(here, { method: "POST", headers, body: "{}" });
  expect(Object.fromEntries(plain?.headers ?? [])).toEqual({
    ...{ accept: "*/*", "accept-encoding": "br", "content-length": "2" },
    ...{ "content-type": "application/json", "user-agent": "me" },
  });
});

test.each<readonly [string, unknown, RequestInit]>([
  ["a Request", new Request(here), {}],
  ["something that is no address", "127.0.0.1", {}],
  ["another scheme", "data:text/plain,hi", {}],
  ["a name and a password in the address", "http://me:secret@127.0.0.1/", {}],
  ["a form", here, { method: "POST", body: new FormData() }],
  ["a stream", here, { method: "POST", body: new ReadableStream(), duplex: "half" }],
  ["a body where none belongs", here, { body: "hi" }],
  ["an unusual method", here, { method: "TRACE" }],
  ["another option", here, { keepalive: true }],
])("NET3 %s is left to Node's own fetch", (_, address, wish) => {
  expect(plainRequest(address, wish)).toBeNull();
});
