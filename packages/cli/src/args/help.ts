/** Contains the text of `pith --help` and finds the program's version. */

import { readFileSync } from "node:fs";

export const help = `pith ["what to do"] [@file …]       a talk on the screen, until you leave it
pith -p "what to do" [@file …]     one answer, and the end

A coding agent in your terminal. It reads, edits and runs what you ask for, in the folder you are in, and keeps the session.

  -p, --print                    work until done, print the answer, and end
      --mode MODE                text (the answer alone), json (every event as a line), rpc (a program talks), acp (an editor does)
  -m, --model PROVIDER/MODEL     who speaks, e.g. anthropic/claude-sonnet-4-5 (default: what your keys allow)
      --thinking LEVEL           off, minimal, low, medium, high, xhigh, max
      --base-url URL             where the provider is reached

  -c, --continue                 go on with the last session of this folder; without words, with what was left unfinished
  -r, --resume                   choose one of your sessions on the screen, with a search through all of them
      --session ID               go on with this one: the beginning of its id, its name, its path, or last
      --no-session               keep nothing
      --plain                    tell the talk in plain lines, for screen readers; nothing is drawn anew
      --no-auto-compact          compact nothing by itself; "/compact" does it when you say so
      --max-turns N              end a run after N model turns (default: 200 with -p and --mode json, otherwise none)
      --max-cost USD             end a run once it has cost so much, summaries and sub-agents included (default: none)

      --permission-mode MODE     ask (with -p: what is not allowed is refused), edit (files of this folder freely), plan (only look), all
      --allow RULE               permit this, e.g. 'bash(npm test)'; as often as you like
      --deny RULE                never this, e.g. 'bash(git push:*)'
      --sandbox on|off           whether commands run in a sandbox, where the system has one
      --network off|hosts|open   what commands in the sandbox reach: nothing, hosts that you allow (default), every public host
      --tools LIST               these, e.g. read,grep, or all (default: read,write,edit,bash)
      --trust                    in this call, let this folder's own settings, skills, agents, extensions and servers count

      --system-prompt TEXT       instead of ours
      --append-system-prompt TEXT
      --no-context-files         do not read AGENTS.md and CLAUDE.md
      --no-skills                do not tell the model of skills
      --no-extensions            load no extension, no agents and no servers of tools
      --agent NAME               play the part of this agent, from ~/.pith/agents or .pith/agents of a trusted folder
  -h, --help
  -v, --version

@file says the file with your words: text up to 256 KB, pictures up to 3.75 MB. What is piped in is said, too.
Behind -- everything is words.

Rules: bash(npm test) is this command in the sandbox, or where there is none, outside(npm test) the same out of it, and
bash(npm test:*) all that begins so. read(.env) and edit(src/**) bind the tools; commands are held to a deny of them where it
names a whole file or folder, in the sandbox alone. network(example.com) is a host for commands and for fetch, network(localhost:5432)
a port of your machine for commands, publish(3000) a port of the sandbox for your machine.

Besides talking: pith sessions list, search, show, export, rm, restore, rebind, stats, prune and purge; pith extensions
list, add and rm; pith mcp list, trust and test; pith compact, context, settings, trust, doctor and completions. Each tells more
with --help: pith sessions --help.

Keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, …), or from ~/.pith/keys.json, which
only you may read (chmod 600): { "anthropic": "…" }. Settings lie in ~/.pith/settings.json: { "model": "…", "thinking": "high" },
sessions in ~/.pith/sessions; PITH_HOME names another folder. A flag goes before a variable (PITH_MODEL, PITH_THINKING,
PITH_PERMISSION_MODE, PITH_SANDBOX, PITH_NETWORK, PITH_DISABLE_AUTOCOMPACT=1), that before the .pith/settings.json of a folder
you trust, that before your own. "pith settings" shows what holds here, and who said it.

  pith "fix the login test"
  pith -p "why does the login test fail?"
  pith -p -c "now fix it"
  git diff | pith -p "review this" @CONTRIBUTING.md
  pith -p --model ollama/qwen3-coder:30b "explain src/parse.ts"

The answer goes to the standard output, everything else to the standard error. Ends with 0 when done, also where something
was not permitted; 1 when it could not go on; 2 for a mistake in the call, the settings or the keys; 3 at --max-turns or --max-cost; 130 or 143 when stopped.`;

// Defined by the build. When Pith runs from its sources, the version is read from `package.json`.
declare const PITH_VERSION: string | undefined;

export function version(): string {
  return typeof PITH_VERSION === "string" ? PITH_VERSION : readSourceVersion();
}

/** The path is the same from `src` and from the compiler's output. */
function readSourceVersion(): string {
  const { version: packageVersion } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String(packageVersion);
}

export type AboutTopic = "help" | "version";

/** Returns the exit code. */
export async function printAbout(topic: AboutTopic): Promise<number> {
  const text = topic === "help" ? help : version();
  // The callback of the write reports the error. Without a listener, Node would end the process.
  process.stdout.on("error", () => {});
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(`${text}\n`, resolve);
  });
  // A reader that closes the pipe early is not an error.
  if (!error || error.code === "EPIPE") return 0;
  process.stderr.write(`pith: the answer could not be written: ${error.message}\n`);
  return 1;
}
