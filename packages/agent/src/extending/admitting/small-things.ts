/** Commands, states and rules of an extension, read with care: each throws where it is none, and whoever registered it is told. */

import type { StateSection } from "../../prompt/state-sections.ts";
import type { ExtensionCommand, ExtensionRules } from "../extension.ts";
import type { NamedCommand } from "../extensions.ts";
import type { Complain } from "./complain.ts";

export function commandIn(
  { name, command }: { readonly name: unknown; readonly command: unknown },
  from: string,
): NamedCommand {
  const { description, takes, run } = Object(command) as Partial<ExtensionCommand>;
  if (typeof name !== "string" || !COMMAND_NAME.test(name))
    throw new Error("its name must be of small letters, digits and dashes, and begin with a letter");
  if (typeof description !== "string") throw new Error("it has no description");
  if (typeof run !== "function") throw new Error("it has no function run");
  return {
    name,
    from,
    description,
    ...(typeof takes === "string" && { takes }),
    run: async (words, context) => run.call(command, words, context),
  };
}

const COMMAND_NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** What it throws is passed on, so that what it said before still holds; it is told once, until it speaks again. */
export function stateIn(
  { name, text }: { readonly name: unknown; readonly text: unknown },
  complain: Complain,
): StateSection {
  if (typeof name !== "string" || !STATE_NAME.test(name))
    throw new Error("its name must be of letters, digits, spaces and dashes, and begin with a letter");
  if (typeof text !== "function") throw new Error("it has no function that gives its text");
  let isTold = false;
  return {
    name,
    text: () => {
      try {
        const said: unknown = text();
        if (typeof said !== "string" && said !== null && said !== undefined) throw new Error("what it says is no text");
        isTold = false;
        return said ?? null;
      } catch (error) {
        if (!isTold) complain(`state ${name}`, error instanceof Error ? error.message : String(error));
        isTold = true;
        throw error;
      }
    },
  };
}

const STATE_NAME = /^[A-Za-z][A-Za-z0-9 _-]{0,63}$/;

export function rulesIn(value: unknown): Required<ExtensionRules> {
  const { allow, ask, deny } = Object(value) as Readonly<Record<string, unknown>>;
  return { allow: textsIn(allow), ask: textsIn(ask), deny: textsIn(deny) };
}

function textsIn(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
    throw new Error("its rules are no list of texts");
  return [...value];
}
