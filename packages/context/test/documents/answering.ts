/** A model whose answer depends on what it is asked; it remembers every request. */

import type { Model, Request } from "../../src/model.ts";
import { type ScriptedModel, scriptedModel } from "../../src/testing/scripted-model.ts";

/** It is told all texts of the request, in order. */
export function answering(answer: (asked: string) => string, parts: Partial<Model> = {}): ScriptedModel {
  const requests: Request[] = [];
  return {
    ...scriptedModel(),
    ...parts,
    requests,
    async *stream(request, act) {
      requests.push(request);
      yield* scriptedModel(answer(asked(request))).stream(request, act);
    },
  };
}

export function asked({ messages }: Request): string {
  return messages.flatMap(({ content }) => (typeof content === "string" ? content : content.map(textIn))).join("\n");
}

const textIn = (block: object): string => ("text" in block ? String(block.text) : "");
