/** Lists of models, as providers write them. */

import { expect, test } from "vitest";
import { modelIds } from "../../../../src/screen/starting/finding/model-ids.ts";

test("FST4 models are read from every provider's list, without those that cannot talk", () => {
  const openai = { data: [{ id: "gpt-5.1" }, { id: "text-embedding-3-large" }, { id: "whisper-1" }] };
  expect(modelIds(openai)).toEqual(["gpt-5.1"]);
  const google = {
    models: [
      { name: "models/gemini-2.5-pro", supportedGenerationMethods: ["generateContent"] },
      { name: "models/aqa", supportedGenerationMethods: ["generateAnswer"] },
    ],
  };
  expect(modelIds(google)).toEqual(["gemini-2.5-pro"]);
});

test("FST4 anything else is no list", () => {
  for (const answer of [
    null,
    1,
    "x",
    [],
    {},
    { data: 7 },
    { data: [null, 1, { id: 2 }, { id: "" }, { id: "y".repeat(300) }] },
  ])
    expect(modelIds(answer)).toEqual([]);
});
