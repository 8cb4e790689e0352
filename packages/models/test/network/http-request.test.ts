/** Tests network/http-request.ts: headers, request. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PlainHeaders, toPlainRequest } from "../../src/network/http-request.ts";

describe("headers", () => {
  const name = fc.constantFrom("Accept", "accept", "X-Api-Key", "x-a", "set-cookie", "Set-Cookie", "Content-Type", "b");
  const value = fc.stringMatching(/^[\t\r\n ]{0,2}[a-zA-Z0-9,;=ü ]{0,12}[\t\r\n ]{0,2}$/);
  const act = fc.tuple(fc.constantFrom("append", "set", "delete"), name, value);

  test("NET10 behave like Node's Headers", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), fc.array(act), (first, acts) => {
        expect(story(new PlainHeaders(first), acts)).toEqual(story(new Headers(first), acts));
      }),
    );
  });

  test("NET10 are created from a record, pairs or Headers, and Node's Headers accept them", () => {
    const record = { "X-One": "1", two: " 2\n" };
    const plain = new PlainHeaders(record);
    const expected = [...new Headers(record)];
    for (const headers of [plain, new PlainHeaders(plain), new PlainHeaders(new Headers(record)), new Headers(plain)])
      expect([...headers]).toEqual(expected);
    expect([...new PlainHeaders()]).toEqual([]);
  });

  test("NET10 are recognised by instanceof in both implementations", () => {
    expect([new PlainHeaders(), new Headers()].every((each) => each instanceof PlainHeaders)).toBe(true);
    expect([new Map(), [], {}, null, "a"].some((each) => (each as unknown) instanceof PlainHeaders)).toBe(false);
  });

  type Act = readonly [string, string, string];

  function story(headers: Headers, acts: readonly Act[]): unknown {
    for (const [what, which, value] of acts) {
      if (what === "append") headers.append(which, value);
      else if (what === "set") headers.set(which, value);
      else headers.delete(which);
    }
    const requestLines: string[] = [];
    headers.forEach((value, which) => void requestLines.push(`${which}: ${value}`));
    const headerValues = ["ACCEPT", "x-api-key", "Set-cookie", "none"].map((which) => [
      headers.has(which),
      headers.get(which),
    ]);
    return [
      requestLines,
      headerValues,
      [...headers.keys()],
      [...headers.values()],
      [...headers.entries()],
      headers.getSetCookie(),
    ];
  }
});

describe("request", () => {
  const here = "http://127.0.0.1/";

  test("NET3 with text or bytes to a URL is a plain request", () => {
    expect(toPlainRequest(here)).toMatchObject({ method: "GET", body: null, redirect: "follow" });
    expect(toPlainRequest(new URL(here), { method: "post", body: "hi" })).toMatchObject({
      method: "POST",
      body: Buffer.from("hi"),
    });
    expect(toPlainRequest(here, { method: "POST", body: new Uint8Array(3) })?.headers.get("content-length")).toBe("3");
    expect(toPlainRequest(here, { method: "POST", body: "ä" })?.headers.get("content-length")).toBe("2");
  });

  test("NET3 keeps given headers", () => {
    const headers = { "User-Agent": "me", "content-type": "application/json", "accept-encoding": "br" };
    const plain = toPlainRequest(here, { method: "POST", headers, body: "{}" });
    expect(Object.fromEntries(plain?.headers ?? [])).toEqual({
      ...{ accept: "*/*", "accept-encoding": "br", "content-length": "2" },
      ...{ "content-type": "application/json", "user-agent": "me" },
    });
  });

  test.each<readonly [string, unknown, RequestInit]>([
    ["a Request", new Request(here), {}],
    ["an invalid URL", "127.0.0.1", {}],
    ["another scheme", "data:text/plain,hi", {}],
    ["a name and a password in the address", "http://me:secret@127.0.0.1/", {}],
    ["a form", here, { method: "POST", body: new FormData() }],
    ["a stream", here, { method: "POST", body: new ReadableStream(), duplex: "half" }],
    ["a body in a GET request", here, { body: "hi" }],
    ["an unusual method", here, { method: "TRACE" }],
    ["another option", here, { keepalive: true }],
  ])("NET3 with %s is left to Node's own fetch", (_, address, init) => {
    expect(toPlainRequest(address, init)).toBeNull();
  });
});
