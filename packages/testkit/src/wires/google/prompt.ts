/** What stands in a request, part by part, in the order in which its prefix is known again: tools, system, contents. */

import { isObject, listOf, objectsIn } from "../shape.ts";
import type { Body, Piece, Prompt } from "../wire.ts";

export function prompt(body: Body): Prompt {
  return {
    pieces: [
      ...objectsIn(body.tools).flatMap(toolPieces),
      ...partsOf(body.systemInstruction).map((part) => piece("system", part)),
      ...objectsIn(body.contents).flatMap((content) =>
        partsOf(content).map((part) => piece("messages", part, String(content.role))),
      ),
    ],
    settings: "",
  };
}

function toolPieces(tool: Body): readonly Piece[] {
  const declared = listOf(tool.functionDeclarations);
  return declared.length > 0 ? declared.map((each) => piece("tools", each)) : [piece("tools", tool)];
}

function partsOf(content: unknown): readonly unknown[] {
  return isObject(content) ? listOf(content.parts) : [];
}

function piece(level: Piece["level"], part: unknown, lead = ""): Piece {
  return { level, text: lead + JSON.stringify(part), keptFor: null };
}
