/** What `--help` prints. */

export const help: string = `pith-testkit: a model server for tests. It speaks Anthropic Messages, OpenAI Responses,
OpenAI Chat Completions and Google generateContent, says what a script wants,
and refuses what the provider would refuse.

  pith-testkit [SCRIPT.json] [options]

Without a script it answers "You said: ..." and calls no tools.

  --port N        listen there (otherwise any free port)
  --log FILE      one line of JSON for each request
  --window N      refuse prompts of more than N tokens, in the provider's words
  --truncate      with --window: drop their beginning instead, without a word
  --local KIND    answer as ollama, llama.cpp, lm-studio or vllm when asked about models
  --with-parent   end when standard input ends
  --version       which one this is
  --help          this page

A script is a list of steps, one for each request; the last one is repeated.
{ "steps": [...], "loop": true } begins again instead. A step is a text, a reply or a refusal:

  [
    "Hello!",
    { "parts": [{ "type": "thinking", "text": "hm" },
                { "type": "call", "name": "read", "arguments": { "path": "a.txt" } }] },
    { "parts": [{ "type": "text", "text": "half a" }], "breaks": { "how": "cut", "after": 3 } },
    { "refuse": { "status": 429, "message": "slow down", "headers": { "retry-after": "2" } } },
    "Done."
  ]

Examples:

  pith-testkit                              an echo on a free port
  pith-testkit talk.json --port 4010        a script on a port of your choice
  pith-testkit --window 8000 --log log.jsonl
  pith-testkit --local ollama --window 4096 --truncate

It ends on Ctrl-C. Everything a step can say: docs/testkit.md
`;
