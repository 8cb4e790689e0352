/** Google takes every field as `systemInstruction` and as `system_instruction`: behind this door there is only the first. */

import { isObject, type Json } from "../shape.ts";
import type { Body } from "../wire.ts";
import { NAMES } from "./checks/fields.ts";
import { SCHEMA } from "./checks/tools.ts";

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
