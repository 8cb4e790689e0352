/** Headers that hooks may add, and those they are shown. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { headersIn, shownHeaders } from "../../../src/hooks/line/headers.ts";

test("SAY11 keys, the transport and broken lines are refused", () => {
  const names = ["Authorization", "x-api-key", "api-key", "X-Goog-Api-Key", "cookie", "Host", "content-type"];
  const more = [
    "Transfer-Encoding",
    "connection",
    "proxy-authorization",
    "x mine",
    "",
    "x\r\ny",
    "é",
    "x-auth-token",
    "cf-aig-authorization",
  ];
  for (const name of [...names, ...more]) assert.throws(() => headersIn({ headers: { [name]: "x" } }), name);
  for (const value of ["a\r\nb", "a\nb", "a\0", "…", 5, null, {}])
    assert.throws(() => headersIn({ headers: { x: value } }));
  assert.deepEqual(headersIn({ headers: { "X-Mine": "one", traceparent: "00-1" } }), {
    "x-mine": "one",
    traceparent: "00-1",
  });
  assert.equal(headersIn(undefined), null);
});

test("SAY11 whatever passes can be sent as it is", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string({ unit: "binary" })), (headers) => {
      let read: Readonly<Record<string, string>> | null = null;
      try {
        read = headersIn({ headers });
      } catch {
        return;
      }
      for (const [name, value] of new Headers(read ?? {})) assert.equal(read?.[name]?.trim(), value);
    }),
  );
});

test("SAY12 what opens doors is not shown", () => {
  assert.deepEqual(shownHeaders({ "Set-Cookie": "a=b", "x-request-id": "r1", "x-api-key": "k" }), {
    "set-cookie": "…",
    "x-request-id": "r1",
    "x-api-key": "…",
  });
});
