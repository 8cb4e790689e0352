/** Defines what the policy of an organisation can say, and decides about models, addresses and modes. A policy only takes away. */

import type { PermissionMode } from "@pith/agent";
import { providers } from "@pith/models";

export interface Policy {
  /** Its file, which every refusal names. */
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
  /** As `provider/model`; `*` stands for any letters. */
  readonly allow?: readonly string[];
  /** Addresses beside the providers' own. With a path: what lies below it. */
  readonly baseUrls?: readonly string[];
}

export interface NetworkPolicy {
  /** The loosest that may be used. */
  readonly mode?: "off" | "hosts" | "open";
  /** The only hosts that may be reached, as in rules: `example.com`, `*.example.com`, `localhost:5432`. */
  readonly hosts?: readonly string[];
  readonly deny?: readonly string[];
}

export interface PermissionPolicy {
  /** Those that may be used. */
  readonly modes?: readonly PermissionMode[];
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
}

/** A server of tools that may be started or reached: exactly so, and under this name. */
export interface PermittedServer {
  readonly name: string;
  /** The whole path of its program. */
  readonly command?: string;
  /** Exactly these; a last `*` stands for any more. */
  readonly args?: readonly string[];
  /** Names of variables that it may be given. */
  readonly env?: readonly string[];
  /** Exactly this address; with a `*` at its end: what lies below it. */
  readonly url?: string;
}

/** `what` is the object of the sentence. */
export function formatRefusal(policy: Policy, subject: string): string {
  return `Your organisation's policy does not allow ${subject} (${policy.path}).`;
}

/** Where rules of a policy come from, as part of a sentence. */
export function policySource(policy: Policy): string {
  return `your organisation's policy (${policy.path})`;
}

/** The sandbox is also what holds commands to a policy on the network. */
export function requiresSandbox(policy: Policy | undefined): boolean {
  return policy?.sandbox === "required" || policy?.network !== undefined;
}

/** Null where it may be used. */
export function getModelRefusal(policy: Policy | undefined, name: string): string | null {
  const allow = policy?.models?.allow;
  if (policy === undefined || allow === undefined) return null;
  const [providerId = "", ...rest] = name.split("/");
  const canonicalId = providers.find((provider) => provider.id === providerId)?.canonicalId ?? providerId;
  const names = [name, [canonicalId, ...rest].join("/")];
  if (allow.some((pattern) => names.some((candidate) => matchesPattern(pattern, candidate)))) return null;
  return `${formatRefusal(policy, `the model ${name}`)} It allows: ${allow.join(", ") || "none"}.`;
}

/** `*` takes any letters, a slash too. */
function matchesPattern(pattern: string, name: string): boolean {
  const escaped = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`, "su").test(name);
}

/** Null where models may be reached there. A policy on models names every address that is not a provider's own. */
export function getBaseUrlRefusal(policy: Policy | undefined, address: string): string | null {
  if (policy?.models === undefined) return null;
  const requestedUrl = URL.parse(address);
  const allowedUrls = (policy.models.baseUrls ?? []).map((allowedUrl) => new URL(allowedUrl));
  if (requestedUrl !== null && allowedUrls.some((allowedUrl) => isUrlBelow(requestedUrl, allowedUrl))) return null;
  return formatRefusal(policy, `models at the address ${requestedUrl?.origin ?? address}`);
}

function isUrlBelow(url: URL, baseUrl: URL): boolean {
  if (url.origin !== baseUrl.origin || url.username !== "" || url.password !== "") return false;
  const basePath = baseUrl.pathname.replace(/\/*$/, "/");
  return `${url.pathname.replace(/\/*$/, "/")}`.startsWith(basePath);
}

/** The strictest first. */
const MODES_STRICT_TO_LOOSE: readonly PermissionMode[] = ["plan", "ask", "edit", "all"];

export function listPermittedModes(policy: Policy | undefined): readonly PermissionMode[] {
  const modes = policy?.permissions?.modes;
  return modes === undefined ? MODES_STRICT_TO_LOOSE : MODES_STRICT_TO_LOOSE.filter((mode) => modes.includes(mode));
}

/** Null where it may be used. */
export function getModeRefusal(policy: Policy | undefined, mode: PermissionMode): string | null {
  const allowedModes = listPermittedModes(policy);
  if (policy === undefined || allowedModes.includes(mode)) return null;
  return `${formatRefusal(policy, `the permission mode ${mode}`)} It allows: ${allowedModes.join(", ")}.`;
}

/** The same, the nearest that is stricter, or the strictest that there is. */
export function findNearestMode(policy: Policy, mode: PermissionMode): PermissionMode {
  const allowedModes = listPermittedModes(policy);
  const nearest = allowedModes.findLast(
    (candidate) => MODES_STRICT_TO_LOOSE.indexOf(candidate) <= MODES_STRICT_TO_LOOSE.indexOf(mode),
  );
  return nearest ?? allowedModes[0] ?? "plan";
}
