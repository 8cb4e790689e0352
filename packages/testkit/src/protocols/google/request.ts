/** Reads a Google request: brings its fields into one spelling, its path into model and mode, its parts into a prompt. */

import { isObject, type Json, listOf, objectsIn } from "../json.ts";
import type { Body, Piece, Prompt } from "../protocol.ts";
import { NAMES } from "./field-checks.ts";
import { SCHEMA } from "./settings-checks.ts";

/** Google takes every field as `systemInstruction` and as `system_instruction`; the checks see only the first. */
export function inOneSpelling(body: Body): Body {
  return renamed(body);
}

function respelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respelled);
  return isObject(value) ? renamed(value) : value;
}

function renamed(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).map(([sent, each]) => {
      const name = spelling.get(sent) ?? sent;
      return [name, inner(name, each)];
    }),
  );
}

function inner(name: string, value: unknown): unknown {
  if (USERS_OWN.includes(name)) return value;
  if (name !== "properties" || !isObject(value)) return respelled(value);
  return Object.fromEntries(Object.entries(value).map(([property, schema]) => [property, respelled(schema)]));
}

/** What the user wrote, with names of the user's own. */
const USERS_OWN = [
  ...["args", "response", "parametersJsonSchema", "responseJsonSchema", "labels"],
  ...["enum", "example", "default", "partMetadata"],
];

// A name nobody knows keeps its spelling, so that the refusal names what was sent.
const spelling: ReadonlyMap<string, string> = new Map([...NAMES, ...SCHEMA].map((name) => [withBars(name), name]));

function withBars(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export interface Addressed {
  readonly model: string;
  readonly streams: boolean;
}

export function addressed(path: string): Addressed | null {
  const [, model, way] =
    /\/v1(?:beta|alpha)?\/models\/([^/:]+):(streamGenerateContent|generateContent)$/.exec(path) ?? [];
  return model === undefined ? null : { model, streams: way === "streamGenerateContent" };
}

/** In the order in which a prefix is recognised: tools, system, contents. */
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
