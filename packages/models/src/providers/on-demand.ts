/** A provider package that somebody else has installed, found by its name and loaded when it is wanted. */

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type Line, settingsOf } from "./line.ts";

export type Loaded =
  | { readonly type: "loaded"; readonly language: LanguageModelV4 }
  | { readonly type: "not-installed"; readonly package: string }
  | { readonly type: "not-a-provider"; readonly package: string }
  /** It wants something that it was not given. */
  | { readonly type: "unwilling"; readonly message: string };

/** `find` resolves a name as the program that asks would: packages lie beside it, not beside us. */
export async function onDemand(
  name: string,
  line: Line,
  find: (name: string) => Promise<Readonly<Record<string, unknown>>> = (wanted) => import(wanted),
): Promise<Loaded> {
  const found = await find(name).catch((error: unknown) => error);
  if (found instanceof Error) {
    if ("code" in found && String(found.code).includes("MODULE_NOT_FOUND"))
      return { type: "not-installed", package: name };
    throw found;
  }
  const language = attempted(() => languageOf(found as Readonly<Record<string, unknown>>, line));
  if (language instanceof Error) return { type: "unwilling", message: language.message };
  return language ? { type: "loaded", language } : { type: "not-a-provider", package: name };
}

function attempted<Value>(work: () => Value): Value | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Every provider package exports one function `create…` that makes a provider, which makes a model of a name. */
function languageOf(exports: Readonly<Record<string, unknown>>, line: Line): LanguageModelV4 | null {
  const create = Object.entries(exports).find(
    ([name, value]) => /^create[A-Z]/.test(name) && typeof value === "function",
  );
  const provider = (create?.[1] as ((settings: object) => unknown) | undefined)?.(settingsOf(line));
  if (typeof provider !== "function") return null;
  const language: unknown = provider(line.model);
  return isLanguageModel(language) ? language : null;
}

function isLanguageModel(value: unknown): value is LanguageModelV4 {
  return (
    typeof value === "object" &&
    value !== null &&
    "specificationVersion" in value &&
    value.specificationVersion === "v4"
  );
}
