/** What does not fit of arguments, by the schema that a server gave: tried here, so that the model is told at once. */

import { isObject } from "../../home/json.ts";

/** Null where they fit, or where only the server can tell. */
export async function faultIn(args: Readonly<Record<string, unknown>>, schema: unknown): Promise<string | null> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
  try {
    const tried = withoutPatterns(schema);
    const checked = new AjvJsonSchemaValidator().getValidator(isObject(tried) ? tried : {})(args);
    return checked.valid ? null : checked.errorMessage;
  } catch {
    // A schema that cannot be read: then the server says itself what does not fit.
    return null;
  }
}

/** A pattern can be such that trying it never ends, and a server may want that. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) => !(name === "pattern" && typeof value === "string") && name !== "patternProperties",
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutPatterns(value)]));
}
