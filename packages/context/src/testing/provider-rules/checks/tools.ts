/** The tools a request declares, and the one it asks for. */

import type { Request } from "../../../request.ts";
import type { Check } from "../rule.ts";
import { callPlaces, fields, listAt, messagePlaces, repeats, textAt } from "./places.ts";

export function toolNamesOutside(pattern: RegExp): Check {
  return (request) =>
    namePlaces(request)
      .filter(({ name }) => !pattern.test(name))
      .map(({ at, name }) => `${at}: tool name "${name}" does not match ${pattern.source}`);
}

export const repeatedToolNames: Check = (request) =>
  repeats(placed(listAt(request, "tools"), "tools"), ({ name }) => name).map(
    ({ at, name }) => `${at}: tool "${name}" is declared twice`,
  );

export const undeclaredChoice: Check = (request) => {
  if (!isForced(request)) return [];
  const declared = declaredNames(request);
  if (declared.size === 0) return ["toolChoice: a tool is forced, but none is declared"];
  const chosen = fields(request).toolChoice;
  if (chosen === "required" || declared.has(textAt(chosen, "name"))) return [];
  return [`toolChoice: tool "${textAt(chosen, "name")}" is not declared`];
};

export const forcedChoiceWhileThinking: Check = (request) =>
  isForced(request) && fields(request).thinking !== "off" ? ["toolChoice: a tool is forced while thinking"] : [];

interface NamePlace {
  readonly at: string;
  readonly name: string;
}

function isForced(request: Request): boolean {
  const chosen = fields(request).toolChoice;
  return chosen === "required" || typeof fields(chosen).name === "string";
}

/** System messages in place add and remove tools. */
function declaredNames(request: Request): ReadonlySet<string> {
  const names = new Set(placed(listAt(request, "tools"), "tools").map(({ name }) => name));
  for (const { message } of messagePlaces(request)) {
    for (const tool of listAt(message, "toolsAdded")) names.add(textAt(tool, "name"));
    for (const tool of listAt(message, "toolsRemoved")) names.delete(textAt(tool, "name"));
  }
  return names;
}

function namePlaces(request: Request): readonly NamePlace[] {
  const inMessages = messagePlaces(request).flatMap((place) => [
    ...placed(listAt(place.message, "toolsAdded"), `${place.at}.toolsAdded`),
    ...callPlaces(place),
  ]);
  return [...placed(listAt(request, "tools"), "tools"), ...inMessages];
}

function placed(tools: readonly unknown[], at: string): readonly NamePlace[] {
  return tools.map((tool, index) => ({ at: `${at}[${index}]`, name: textAt(tool, "name") }));
}
