/** Creates a model whose reply depends on the request, and which records every request. */

import type { Model, Request } from "../../src/model.ts";
import { type ScriptedModel, scriptedModel } from "../../src/testing/scripted-model.ts";

/** `answer` receives all texts of the request, in order. */
export function answeringModel(answer: (request: string) => string, parts: Partial<Model> = {}): ScriptedModel {
  const requests: Request[] = [];
  return {
    ...scriptedModel(),
    ...parts,
    requests,
    async *stream(request, act) {
      requests.push(request);
      yield* scriptedModel(answer(requestText(request))).stream(request, act);
    },
  };
}

export function requestText({ messages }: Request): string {
  return messages.flatMap(({ content }) => (typeof content === "string" ? content : content.map(blockText))).join("\n");
}

const blockText = (block: object): string => ("text" in block ? String(block.text) : "");
