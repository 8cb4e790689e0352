/** What `pith --help` says. */

export const help = `pith -p "what to do"

A coding agent in your terminal. It reads, edits and runs what you ask for, in the folder you are in, and keeps the session.
It asks no permission yet and has no sandbox: what the model wants to run is run. --tools read keeps it to looking.

  -p, --print                    work until done, print the answer, and end
  -m, --model PROVIDER/MODEL     who speaks, e.g. anthropic/claude-sonnet-4-5 (default: PITH_MODEL, or what your keys allow)
      --thinking LEVEL           off, minimal, low, medium, high, xhigh, max
  -c, --continue                 go on with the last session of this folder
      --session ID               go on with this one: the beginning of its id, or its path
      --no-session               keep nothing
      --tools LIST               only these, e.g. read,bash
      --system-prompt TEXT       instead of ours
      --append-system-prompt TEXT
      --base-url URL             where the provider is reached
  -h, --help

Keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, …). Sessions lie in ~/.pith/sessions (PITH_HOME).

  pith -p "why does the login test fail?"
  pith -p -c "now fix it"
  pith -p --model ollama/qwen3-coder:30b "explain src/parse.ts"

Ends with 0 when done, 1 when it could not go on, 2 for a mistake in the call, 130 when it was stopped.`;
