/** The flags, as the command line spells them, and what each takes. */

export interface Flag {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: boolean;
}

export const flags = {
  print: { type: "boolean", short: "p" },
  model: { type: "string", short: "m" },
  thinking: { type: "string" },
  continue: { type: "boolean", short: "c" },
  resume: { type: "boolean", short: "r" },
  session: { type: "string" },
  "no-session": { type: "boolean" },
  mode: { type: "string" },
  agent: { type: "string" },
  "permission-mode": { type: "string" },
  allow: { type: "string", multiple: true },
  deny: { type: "string", multiple: true },
  sandbox: { type: "string" },
  network: { type: "string" },
  tools: { type: "string" },
  "system-prompt": { type: "string" },
  "append-system-prompt": { type: "string" },
  plain: { type: "boolean" },
  "no-context-files": { type: "boolean" },
  "no-skills": { type: "boolean" },
  "no-extensions": { type: "boolean" },
  "no-auto-compact": { type: "boolean" },
  trust: { type: "boolean" },
  "base-url": { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** For mistakes: what to write behind it. */
export const takes: Readonly<Record<string, string>> = {
  model: "PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5",
  thinking: "a level, such as high",
  session: "the beginning of a session's id, or its path",
  mode: "text, json, rpc or acp",
  agent: "the name of an agent, such as reviewer",
  "permission-mode": "ask, edit, plan or all",
  allow: "a rule, such as 'bash(npm test)'",
  deny: "a rule, such as 'bash(git push)'",
  sandbox: "on or off",
  network: "on or off",
  tools: "names, such as read,bash",
  "system-prompt": "a text",
  "append-system-prompt": "a text",
  "base-url": "an address, such as http://127.0.0.1:8080/v1",
};
