/** A silent cut is said. */

import { expect, test } from "vitest";
import { cutSentence } from "../../src/windows/cut-sentence.ts";

test("SEE6 a cut is said with its figures and the remedy", () => {
  const cut = { estimate: 60_000.4, reported: 4_096, window: 4_096, place: "http://127.0.0.1:11434/v1" };
  expect(cutSentence(cut)).toBe(
    "http://127.0.0.1:11434/v1 counted 4,096 of about 60,000 tokens: it seems to drop what does not fit, silently. " +
      "Its window is taken for 4,096 tokens from now on. Serve a larger one (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; " +
      "llama.cpp: -c; LM Studio: context length) to keep more.",
  );
});
