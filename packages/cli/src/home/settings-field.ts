/** One setting, wherever it was written: right, or what to write instead. */

import { isObject } from "./json.ts";

/** As the end of a sentence that begins with where it stands; null when it is right. */
export function whatIsWrong(name: string, value: unknown): string | null {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  return check ? check(value) : "is no setting";
}

type Check = (value: unknown) => string | null;

const switches: Check = oneOf("on", "off");

const checks: Readonly<Record<string, Check>> = {
  model: (value) =>
    typeof value === "string" && /^[^/]+\/./.test(value)
      ? null
      : `is ${shown(value)}; write provider/model, such as anthropic/claude-sonnet-4-5`,
  baseUrl: (value) =>
    typeof value === "string" && /^https?:$/.test(URL.parse(value)?.protocol ?? "")
      ? null
      : `is ${shown(value)}; write an address of the web, such as http://127.0.0.1:8080/v1`,
  thinking: oneOf("off", "minimal", "low", "medium", "high", "xhigh", "max"),
  mode: oneOf("ask", "edit", "plan", "all"),
  sandbox: switches,
  network: switches,
  tools: (value) => (isNames(value) ? null : `is ${shown(value)}; write names of tools, such as read and bash`),
  contextWindow: tokensSuchAs(128_000),
  fetchHosts: (value) => (isNames(value) ? null : `is ${shown(value)}; write hosts, such as ["localhost:5173"]`),
  compaction: (value) => (isObject(value) ? null : `is ${shown(value)}; write { "enabled": true }`),
  "compaction.enabled": (value) => (typeof value === "boolean" ? null : `is ${shown(value)}; write true or false`),
  "compaction.reserveTokens": tokensSuchAs(16_384),
  "compaction.keepRecentTokens": tokensSuchAs(20_000),
};

export const settingNames: readonly string[] = Object.keys(checks);

function oneOf(...words: readonly string[]): Check {
  const choice = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return (value) => (words.some((word) => word === value) ? null : `is ${shown(value)}; write ${choice}`);
}

function tokensSuchAs(example: number): Check {
  return (value) =>
    Number.isSafeInteger(value) && Number(value) > 0
      ? null
      : `is ${shown(value)}; write a whole number of tokens, such as ${example}`;
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string" && name !== "");
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}
