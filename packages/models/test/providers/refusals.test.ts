/** Tests every refusal of the fixture on each protocol through the real packages: each has the expected failure kind. */

import { readFileSync } from "node:fs";
import type { Model, ModelFailure, Request } from "@pith/context";
import { type Step, startServer, type TestServer } from "@pith/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultRequestPolicy } from "../../src/retry.ts";
import { endpoints, lastOf, modelOf } from "./protocols.ts";

interface Row {
  readonly provider: string;
  /** Null: inside a stream. */
  readonly status: number | null;
  readonly type: string | null;
  readonly text: string;
  readonly expected: "overflow" | "payload" | "ratelimit" | "tpm_ceiling" | "other";
}

const rows: readonly Row[] = JSON.parse(readFileSync(new URL("../overflow/overflow.json", import.meta.url), "utf8"));

describe.each(endpoints)("$provider", (endpoint) => {
  let server: TestServer;
  let model: Model;
  let step: Step = "";
  beforeAll(async () => {
    server = await startServer({ script: () => step });
    model = await modelOf(endpoint, server, {
      contextWindow: 8_192,
      requestPolicy: { ...defaultRequestPolicy, retries: 0 },
    });
  });
  afterAll(() => server.close());

  test.each(rows.map((row) => [row.provider, row] as const))("VOI11 classifies the refusals of %s", async (_, row) => {
    step = stepOf(row);
    const end = await lastOf(model.stream(request, {}));
    expect(end.type).toBe("reply-failed");
    expect(kindsOf[row.expected], row.text).toContain(end.type === "reply-failed" && end.failure.kind);
  });
});

/** A text that is JSON already is sent as it is; others in the protocol's own shape. */
function stepOf({ status, type, text }: Row): Step {
  const error = { ...(type && { type, code: type }), message: text };
  if (status === null) return { parts: [{ type: "text", text: "Well" }], breaks: { how: "error", after: 1, error } };
  const isWhole = text.startsWith("{") || text.startsWith("<");
  const isBare = text.endsWith("status code (no body)");
  return { refuse: { status, ...error, ...((isWhole || isBare) && { body: isBare ? "" : text }) } };
}

const kindsOf: Readonly<Record<Row["expected"], readonly ModelFailure["kind"][]>> = {
  overflow: ["overflow"],
  payload: ["payload"],
  ratelimit: ["busy"],
  tpm_ceiling: ["quota"],
  other: ["refused", "unreachable", "busy"],
};

// Nearly the whole window, so that a refusal without a word can be told by the size.
const request: Request = {
  system: [],
  tools: [],
  messages: [{ role: "user", content: "one word more ".repeat(2_400), timestamp: 0 }],
  thinking: "off",
  toolChoice: "auto",
  cacheMarks: [],
};
