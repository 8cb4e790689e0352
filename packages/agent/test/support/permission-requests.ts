/** Creates permission requests and rules on a fictional machine: a home folder, a workspace in it, and links. */

import type { Rules } from "../../src/permissions/decide.ts";
import type {
  PermissionPaths,
  PermissionRequest,
  ResolveRealPath,
  ToolRequest,
} from "../../src/permissions/request.ts";
import { parseRule, type Rule } from "../../src/permissions/rules.ts";
import type { Intent } from "../../src/tool.ts";

export const permissionPaths: PermissionPaths = {
  root: "/home/ann/project",
  home: "/home/ann",
  temporaryFolders: ["/tmp"],
  privatePaths: ["/home/ann/.pith/keys.json"],
  permissionFiles: ["/home/ann/.pith"],
  hasSandbox: true,
};

/** Links of this machine, each with where it leads. */
const links: Readonly<Record<string, string>> = {
  "/home/ann/project/innocent": "/home/ann/.ssh",
  "/home/ann/project/hooks": "/home/ann/project/.git/hooks",
  "/home/ann/project/out": "/home/ann/elsewhere",
};

export const realPath: ResolveRealPath = async (path) => {
  if (path.includes("circle")) return null;
  const link = Object.keys(links).find((name) => path === name || path.startsWith(`${name}/`));
  return link === undefined ? path : `${links[link]}${path.slice(link.length)}`;
};

export function rule(text: string): Rule {
  const parsed = parseRule(text, { tools: ["own"] });
  if (parsed.type === "mistake") throw new Error(parsed.message);
  return parsed.rule;
}

export function rules(texts: { readonly [effect in keyof Rules]?: readonly string[] }): Rules {
  const { allow = [], ask = [], deny = [] } = texts;
  return { allow: allow.map(rule), ask: ask.map(rule), deny: deny.map(rule) };
}

export function act(intent: Intent | null, more: Partial<ToolRequest> = {}): ToolRequest {
  return { tool: toolFor[intent?.type ?? "unknown"] ?? "own", arguments: {}, intent, ...more };
}

const toolFor: Readonly<Record<string, string>> = {
  ...{ look: "read", change: "edit", command: "bash", fetch: "fetch", network: "bash", port: "bash" },
};

export function sight(judged: ToolRequest): PermissionRequest {
  const { intent } = judged;
  const paths = intent?.type === "look" || intent?.type === "change" ? intent.paths : [];
  return { toolRequest: judged, resolvedPaths: paths.map((path) => ({ path, realPath: path })) };
}

export const look = (...paths: string[]): Intent => ({ type: "look", paths });
export const change = (...paths: string[]): Intent => ({ type: "change", paths });
export const command = (line: string, isConfined = false): Intent => ({ type: "command", command: line, isConfined });
export const outside = (line: string): Intent => ({
  type: "command",
  command: line,
  isConfined: false,
  isOutside: true,
});
export const fetched = (url: string): Intent => ({ type: "fetch", url });
export const connected = (
  host: string,
  more: { readonly isPackageHost?: true; readonly port?: number } = {},
): Intent => ({
  ...{ type: "network", host, port: 443, command: "npm install", ...more },
});
export const port = (number: number, direction: "host" | "publish"): Intent => ({
  type: "port",
  port: number,
  direction,
});
export const secretly = (line: string, secrets: readonly string[], hosts: readonly string[]): Intent => ({
  ...{ type: "command", command: line, isConfined: true, secrets, hosts },
});
