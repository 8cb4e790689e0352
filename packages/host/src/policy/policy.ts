/** Defines the policy of an organisation, and checks models, base URLs and permission modes against it. A policy only restricts. */

import type { PermissionMode } from "@pith/agent";
import { providers } from "@pith/models";

export interface Policy {
  /** The policy file. Every refusal names it. */
  readonly path: string;
  readonly models?: ModelPolicy;
  readonly network?: NetworkPolicy;
  readonly permissions?: PermissionPolicy;
  readonly sandbox?: "required";
  readonly secrets?: { readonly redact?: "required" };
  readonly auditLog?: "required";
  readonly extensions?: { readonly allow?: readonly string[] };
  readonly mcp?: { readonly allow?: readonly PermittedServer[] };
}

export interface ModelPolicy {
  /** Patterns for `provider/model`. `*` matches any characters. */
  readonly allow?: readonly string[];
  /** Base URLs besides those of the providers. A URL also allows every path below it. */
  readonly baseUrls?: readonly string[];
}

export interface NetworkPolicy {
  /** The least strict mode that may be used. */
  readonly mode?: "off" | "hosts" | "open";
  /** The only hosts that may be reached, written as in rules: `example.com`, `*.example.com`, `localhost:5432`. */
  readonly hosts?: readonly string[];
  readonly deny?: readonly string[];
}

export interface PermissionPolicy {
  /** The modes that may be used. */
  readonly modes?: readonly PermissionMode[];
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
}

/** An MCP server that may be used, with exactly this name and configuration. */
export interface PermittedServer {
  readonly name: string;
  /** The absolute path of the program. */
  readonly command?: string;
  /** The exact arguments. A `*` at the end allows any further arguments. */
  readonly args?: readonly string[];
  /** The names of the environment variables that may be set for it. */
  readonly env?: readonly string[];
  /** The exact URL. A `*` at the end allows every URL below it. */
  readonly url?: string;
}

export function formatRefusal(policy: Policy, subject: string): string {
  return `Your organization's policy does not allow ${subject} (${policy.path}).`;
}

/** Names the policy as part of a sentence, as the source of a rule. */
export function policySource(policy: Policy): string {
  return `your organization's policy (${policy.path})`;
}

/** A network policy also needs the sandbox, because only the sandbox enforces it for commands. */
export function requiresSandbox(policy: Policy | undefined): boolean {
  return policy?.sandbox === "required" || policy?.network !== undefined;
}

/** Null if the model may be used. */
export function getModelRefusal(policy: Policy | undefined, name: string): string | null {
  const allow = policy?.models?.allow;
  if (policy === undefined || allow === undefined) return null;
  const [providerId = "", ...rest] = name.split("/");
  const canonicalId = providers.find((provider) => provider.id === providerId)?.canonicalId ?? providerId;
  const names = [name, [canonicalId, ...rest].join("/")];
  if (allow.some((pattern) => names.some((candidate) => matchesPattern(pattern, candidate)))) return null;
  return `${formatRefusal(policy, `the model ${name}`)} It allows: ${allow.join(", ") || "none"}.`;
}

/** `*` matches any characters, including slashes. */
function matchesPattern(pattern: string, name: string): boolean {
  const escapedParts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escapedParts.join(".*")}$`, "su").test(name);
}

/** Null if models may be reached at this URL. A policy for models must list every URL that is not a provider's own. */
export function getBaseUrlRefusal(policy: Policy | undefined, address: string): string | null {
  if (policy?.models === undefined) return null;
  const requestedUrl = URL.parse(address);
  const allowedUrls = (policy.models.baseUrls ?? []).map((allowedUrl) => new URL(allowedUrl));
  if (requestedUrl !== null && allowedUrls.some((allowedUrl) => isUrlBelow(requestedUrl, allowedUrl))) return null;
  return formatRefusal(policy, `models at ${requestedUrl?.origin ?? address}`);
}

function isUrlBelow(url: URL, baseUrl: URL): boolean {
  if (url.origin !== baseUrl.origin || url.username !== "" || url.password !== "") return false;
  const basePath = baseUrl.pathname.replace(/\/*$/, "/");
  return `${url.pathname.replace(/\/*$/, "/")}`.startsWith(basePath);
}

const MODES_STRICT_TO_LOOSE: readonly PermissionMode[] = ["plan", "ask", "edit", "all"];

export function listPermittedModes(policy: Policy | undefined): readonly PermissionMode[] {
  const modes = policy?.permissions?.modes;
  return modes === undefined ? MODES_STRICT_TO_LOOSE : MODES_STRICT_TO_LOOSE.filter((mode) => modes.includes(mode));
}

/** Null if the mode may be used. */
export function getModeRefusal(policy: Policy | undefined, mode: PermissionMode): string | null {
  const allowedModes = listPermittedModes(policy);
  if (policy === undefined || allowedModes.includes(mode)) return null;
  return `${formatRefusal(policy, `the permission mode ${mode}`)} It allows: ${allowedModes.join(", ")}.`;
}

/** Returns the mode itself, else the next stricter allowed mode, else the strictest allowed mode. */
export function findNearestMode(policy: Policy, mode: PermissionMode): PermissionMode {
  const allowedModes = listPermittedModes(policy);
  const nearest = allowedModes.findLast(
    (candidate) => MODES_STRICT_TO_LOOSE.indexOf(candidate) <= MODES_STRICT_TO_LOOSE.indexOf(mode),
  );
  return nearest ?? allowedModes[0] ?? "plan";
}
