/** What the command line asks for. */

import { parseArgs } from "node:util";
import type { ThinkingLevel } from "@pith/context";

export interface Wish {
  /** What to say to the model. */
  readonly prompt: string;
  /** As `provider/model`. */
  readonly model: string | undefined;
  readonly thinking: ThinkingLevel | undefined;
  readonly session: SessionWish;
  /** Names of the tools to use; all where nothing is said. */
  readonly tools: readonly string[] | undefined;
  readonly systemPrompt: string | undefined;
  readonly appendSystemPrompt: string | undefined;
  readonly baseUrl: string | undefined;
}

export type SessionWish =
  | { readonly type: "new" | "none" | "last" }
  /** The beginning of an id, or a path. */
  | { readonly type: "named"; readonly name: string };

export type Read =
  | { readonly type: "wish"; readonly wish: Wish }
  | { readonly type: "help" }
  | { readonly type: "mistake"; readonly message: string };

const options = {
  print: { type: "boolean", short: "p", default: false },
  model: { type: "string", short: "m" },
  thinking: { type: "string" },
  continue: { type: "boolean", short: "c", default: false },
  session: { type: "string" },
  "no-session": { type: "boolean", default: false },
  tools: { type: "string" },
  "system-prompt": { type: "string" },
  "append-system-prompt": { type: "string" },
  "base-url": { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

export function readArguments(args: readonly string[]): Read {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) return { type: "help" };
    if (!values.print) return mistake('for now there is only the print mode: pith -p "what to do"');
    const prompt = positionals.join(" ").trim();
    if (prompt === "") return mistake('what should it do? pith -p "what to do"');
    const thinking = levels.find((level) => level === values.thinking);
    if (values.thinking !== undefined && !thinking) return mistake(`--thinking takes one of ${levels.join(", ")}`);
    return {
      type: "wish",
      wish: {
        prompt,
        model: values.model,
        thinking,
        session: sessionWish(values),
        tools: values.tools?.split(",").map((name) => name.trim()),
        systemPrompt: values["system-prompt"],
        appendSystemPrompt: values["append-system-prompt"],
        baseUrl: values["base-url"],
      },
    };
  } catch (error) {
    return mistake(error instanceof Error ? error.message : String(error));
  }
}

const levels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

function mistake(message: string): Read {
  return { type: "mistake", message };
}

function sessionWish(values: {
  readonly continue: boolean;
  readonly session?: string;
  readonly "no-session": boolean;
}): SessionWish {
  if (values["no-session"]) return { type: "none" };
  if (values.session !== undefined) return { type: "named", name: values.session };
  return { type: values.continue ? "last" : "new" };
}
