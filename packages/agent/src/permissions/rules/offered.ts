/** Rules that would let an act pass the next time, the narrowest first. Each is read as a person's would be, and must do what it is offered for. */

import { shownFrom } from "../../text/paths.ts";
import { readLine } from "../shell/read-line.ts";
import { mayRunAnything } from "../shell/wrappers.ts";
import type { Ground, Sight } from "../sight.ts";
import { isSurelyFitted } from "./fit-act.ts";
import { parseRule, type Rule } from "./rule.ts";

const MOST = 3;

export function offeredRules(sight: Sight, ground: Ground): readonly Rule[] {
  const texts = [...new Set(textsFor(sight, ground))];
  const rules = texts.flatMap((text) => {
    const parsed = parseRule(text, { tools: [sight.act.tool] });
    return parsed.type === "rule" ? [parsed.rule] : [];
  });
  return rules.filter((rule) => isSurelyFitted([rule], { sight, ground })).slice(0, MOST);
}

function textsFor({ act: { tool, intent }, reached }: Sight, ground: Ground): readonly string[] {
  switch (intent?.type) {
    case "command":
      return commandsFor(intent.command).map((pattern) => `${intent.isOutside ? "outside" : "bash"}(${pattern})`);
    case "fetch":
      return URL.canParse(intent.url) ? [`fetch(${new URL(intent.url).hostname})`] : [];
    case "named":
      return namesFor(intent.name).map((pattern) => `${tool}(${pattern})`);
    case "look":
      return pathsFor(reached, ground).map((pattern) => `read(${pattern})`);
    case "change":
      return pathsFor(reached, ground).map((pattern) => `edit(${pattern})`);
    case "nothing":
    case undefined:
      return [tool];
  }
}

function commandsFor(line: string): readonly string[] {
  if (line.length > LONGEST) return [];
  const [command, ...more] = readLine(line) ?? [];
  if (!command?.isPlain || more.length > 0) return [line];
  const end = command.words.findIndex((word) => !NAME.test(word ?? ""));
  const names = command.words.slice(0, end < 0 ? command.words.length : end).filter((name) => name !== null);
  return [line, ...beginnings(names).map((words) => `${words.join(" ")}:*`)];
}

const LONGEST = 200;
const NAME = /^[a-z][a-z\d_:-]*$/;

// `git:*` would be more than anybody means who is asked about `git status`.
function beginnings(names: readonly string[]): readonly (readonly string[])[] {
  const [first] = names;
  if (first === undefined || mayRunAnything(first)) return [];
  const shortest = Math.min(names.length, 2);
  return [names.slice(0, 3), names.slice(0, shortest)];
}

/** It alone, and all beside it. */
function namesFor(name: string): readonly string[] {
  const folder = name.slice(0, Math.max(0, name.lastIndexOf("/")));
  if (name.length > LONGEST || MEANT_OTHERWISE.test(name)) return [];
  return folder === "" ? [name] : [name, `${folder}/*`];
}

/** The file, and where it lies in an open folder of the workspace, that folder. */
function pathsFor(reached: Sight["reached"], { root }: Ground): readonly string[] {
  const [first, ...more] = reached;
  if (!first?.real || more.length > 0) return [];
  const exact = shownFrom(root, first.real);
  if (MEANT_OTHERWISE.test(exact)) return [];
  const folder = exact.slice(0, Math.max(0, exact.lastIndexOf("/")));
  const isOpen = folder !== "" && !folder.startsWith("/") && !/(?:^|\/)\./.test(folder);
  return isOpen ? [exact, `${folder}/**`] : [exact];
}

/** In a rule these signs would mean more than this file. */
const MEANT_OTHERWISE = /^~|[*?{}\\]/;
