/** Results that are errors, have pictures, or say nothing. */

import type { ModelName } from "@pith/context";
import { describe, expect, test } from "vitest";
import { buildPrompt } from "../../src/convert/index.ts";
import {
  all,
  anthropic,
  calls,
  completions,
  gemini,
  openaiChat,
  picture,
  requestOf,
  responses,
  result,
  user,
} from "../support/messages.ts";

const answered = (to: ModelName, ...results: readonly ReturnType<typeof result>[]) =>
  buildPrompt(
    requestOf([user("look"), calls(to, ...results.map(({ toolCallId }) => toolCallId)), ...results]),
    to,
  ).slice(2);

describe("an error with an image", () => {
  const failed = result("a", [{ type: "text", text: "boom" }, picture], { isError: true });

  test("CNV11 is marked as an error if the protocol supports it, and the image follows", () => {
    for (const to of [anthropic, gemini])
      expect(answered(to, failed, result("b", [picture]))).toMatchObject([
        {
          role: "tool",
          content: [
            { output: { type: "error-text", value: "boom\n(images follow in the next message)" } },
            { output: { type: "content" } },
          ],
        },
        { role: "user", content: [{ text: "Images from the result of the tool read (a):" }, { type: "file" }] },
      ]);
  });

  test("CNV11 keeps its image if the protocol cannot mark errors", () => {
    expect(answered(responses, failed)).toMatchObject([
      { content: [{ output: { type: "content", value: [{ text: "boom" }, { type: "file" }] } }] },
    ]);
    for (const to of [completions, openaiChat])
      expect(answered(to, failed)).toMatchObject([{ content: [{ output: { type: "text" } }] }, { role: "user" }]);
  });
});

test("CNV11 gives an empty result a text", () => {
  for (const to of all)
    for (const nothing of [result("a", []), result("a", ""), result("a", "\n")])
      expect(answered(to, nothing)).toMatchObject([{ content: [{ output: { type: "text", value: "(no output)" } }] }]);
});
