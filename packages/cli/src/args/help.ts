/** Contains the text of `pith --help` and finds the program's version. */

import { readFileSync } from "node:fs";

export const help = `pith ["what to do"] [@file …]       start an interactive session
pith -p "what to do" [@file …]      print one answer and exit

A coding agent in your terminal. It reads and edits files and runs commands in the current folder, and saves the session.

  -p, --print                    work until done, print the answer and exit
      --mode MODE                text (only the answer), json (one event per line), rpc (controlled by a program), acp (by an editor)
  -m, --model MODEL              model to use, e.g. sonnet or anthropic/claude-sonnet-5 (default: from the first provider with a key)
      --thinking LEVEL           off, minimal, low, medium (default), high, xhigh, max
      --base-url URL             base URL of the provider's API

  -c, --continue                 continue the most recent session in this folder; with no prompt, finish an interrupted turn
  -r, --resume                   pick a session from a searchable list
      --session ID               continue this session: an id prefix, a name, a path, or last
      --no-session               do not save the session
      --plain                    print plain lines for screen readers; nothing is redrawn
      --no-auto-compact          turn off automatic compaction; "/compact" still works
      --max-turns N              end a run after N model turns (default: 200 with -p and --mode json, otherwise no limit)
      --max-cost USD             send no request once a run has cost this much, with its sub-agents (default: no limit)

      --permission-mode MODE     what Pith may do without asking: plan, ask, edit (default) or all; see below
      --allow RULE               allow this, e.g. 'bash(npm test)'; can be repeated
      --deny RULE                deny this, e.g. 'bash(git push:*)'; can be repeated
      --sandbox on|off           run commands in a sandbox, if one is available (default: on)
      --network off|hosts|open   what sandboxed commands can reach: nothing, hosts you allow (default), or any public host
      --tools LIST               tools to enable, e.g. read,grep, or all (default: read,write,edit,bash,recall)
      --trust                    for this run, use this folder's own settings, skills, templates, agents, extensions and MCP servers

      --system-prompt TEXT       replace the default system prompt
      --append-system-prompt TEXT  add to the system prompt
      --no-context-files         do not read AGENTS.md and CLAUDE.md
      --no-skills                do not tell the model about skills
      --no-extensions            do not load extensions, agents or MCP servers
      --agent NAME               run as this agent, from ~/.pith/agents or, in a trusted folder, .pith/agents
  -h, --help                     show this help
  -v, --version                  show the version

@file adds a file to the prompt: text up to 256 KB, images up to 32 MB, shrunk if needed. Piped input is added as well.
Everything after -- is part of the prompt.

Permission modes:
  plan    read files and run commands that cannot write here; change nothing
  ask     ask before each change or command; with -p, deny them
  edit    change files in this folder and run sandboxed commands without asking (default)
  all     ask only about new hosts, secrets, ports, protected files (such as .git), files outside this folder, and commands
          outside the sandbox

Rules: bash(npm test) matches exactly this command in the sandbox (or unsandboxed, if no sandbox is available); outside(npm test)
matches it outside the sandbox; bash(npm test:*) matches any command that starts with npm test. read(.env) and edit(src/**) apply to
the tools; deny rules for read and edit also restrict shell commands, but only in the sandbox, and only if the rule names a single
file or a whole folder. With --allow, network(example.com) lets commands and fetch reach a host, network(localhost:5432) lets commands
reach a port on your machine, and publish(3000) exposes a sandbox port to your machine.

Subcommands: pith sessions list, search, show, export, rm, restore, rebind, stats, prune and purge; pith models list and update;
pith extensions list, add and rm; pith mcp list, trust and test; pith login, logout, compact, context, settings, trust, doctor and
completions. For details, use --help or help: pith sessions --help, pith help sessions.

API keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, …), or from "pith login", which saves them in
~/.pith/keys.json, readable only by you. Settings are in ~/.pith/settings.json (for example,
{ "model": "…", "thinking": "high" }), and sessions are in ~/.pith/sessions; set PITH_HOME to use a different folder. A flag
overrides a variable (PITH_MODEL, PITH_THINKING, PITH_PERMISSION_MODE, PITH_SANDBOX, PITH_NETWORK, PITH_DISABLE_AUTOCOMPACT=1), a
variable overrides the .pith/settings.json in a folder you trust, and that file overrides your own. "pith settings" shows the values
in this folder and where each is set.

  pith "fix the login test"
  pith -p "why does the login test fail?"
  pith -p -c "now fix it"
  git diff | pith -p "review this" @CONTRIBUTING.md
  pith -p --model ollama/qwen3-coder:30b "explain src/parse.ts"

The answer goes to standard output, everything else to standard error. Exit codes: 0 done, even if something was not permitted;
1 Pith could not continue; 2 usage or settings error, or no API key; 3 stopped by --max-turns or --max-cost; 130 or 143 interrupted.`;

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
  process.stderr.write(`pith: the output could not be written: ${error.message}\n`);
  return 1;
}
