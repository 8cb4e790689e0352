/** From the arguments of a command line to what they ask for, or to what is wrong with them. */

import { parseArgs } from "node:util";
import { choicesIn } from "./choices-in.ts";
import { faultIn } from "./fault-in-flag.ts";
import { flags } from "./flags.ts";
import { type Mistake, mistake } from "./mistake.ts";
import { saidIn } from "./said-in.ts";
import type { SessionWish, Wish } from "./wish.ts";

export type Read = { readonly type: "wish"; readonly wish: Wish } | { readonly type: "help" | "version" } | Mistake;

export function readArguments(args: readonly string[]): Read {
  const [word] = args;
  if (args.length === 1 && (word === "help" || word === "version")) return { type: word };
  // Loosely first: the strict reading throws, and its sentences do not say what to write.
  const { tokens } = parseArgs({ args: [...args], options: flags, strict: false, tokens: true });
  const found = tokens.filter((token) => token.kind === "option");
  if (found.some(({ name }) => name === "help")) return { type: "help" };
  if (found.some(({ name }) => name === "version")) return { type: "version" };
  const faults = found.map((flag) => faultIn({ ...flag, written: args[flag.index] ?? "" }));
  const fault = faults.find((each) => each !== null);
  return fault === undefined ? wishOf(args, saidIn(tokens)) : mistake(fault);
}

function wishOf(args: readonly string[], said: Pick<Wish, "words" | "files">): Read {
  const { values } = parseArgs({ args: [...args], options: flags, allowPositionals: true });
  const mode = values.mode ?? "text";
  if (!isMode(mode)) return mistake(`--mode is "${mode}"; write text, json, rpc or acp`);
  const output = !values.print && mode === "text" ? "screen" : mode;
  const chosen = choicesIn(values);
  if (chosen.type === "mistake") return chosen;
  const session = sessionWish(values);
  if (session === null) return mistake("-c, -r, --session and --no-session exclude each other; write one of them");
  if (session.type === "choose" && output !== "screen")
    return mistake("-r shows your sessions on the screen; with -p, name one: --session ID");
  const wish = {
    ...said,
    session,
    choices: chosen.choices,
    allow: values.allow ?? [],
    deny: values.deny ?? [],
    systemPrompt: values["system-prompt"],
    appendSystemPrompt: values["append-system-prompt"],
    trusts: values.trust ?? false,
    ...(values.agent !== undefined && { agent: values.agent }),
    output,
  } as const;
  return { type: "wish", wish };
}

function isMode(mode: string): mode is Exclude<Wish["output"], "screen"> {
  return ["text", "json", "rpc", "acp"].includes(mode);
}

interface SessionFlags {
  readonly continue?: boolean;
  readonly resume?: boolean;
  readonly session?: string;
  readonly "no-session"?: boolean;
}

/** Null where they contradict each other. */
function sessionWish({ continue: last, resume, session: name, "no-session": none }: SessionFlags): SessionWish | null {
  if ([last, resume, name, none].filter((flag) => flag !== undefined).length > 1) return null;
  if (name !== undefined) return { type: "named", name };
  if (none) return { type: "none" };
  if (resume) return { type: "choose" };
  return { type: last ? "last" : "new" };
}
