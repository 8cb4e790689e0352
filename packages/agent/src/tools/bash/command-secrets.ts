/** Gives a command the permitted secrets that it requests by name. Results and questions never contain a value. */

import { LOGIN_NAMES } from "../../permissions/question.ts";
import type { ShellOptions } from "../../ports.ts";
import { UNKNOWN_SECRET_ADVICE } from "../../redaction.ts";

/** Provides the real values. Called only for names that the user has permitted. */
export interface SecretSource {
  /** Null if the placeholder is unknown. */
  resolvePlaceholder(placeholder: string): Promise<string | null>;
  /** Null if the variable is not set or is one of Pith's own keys. */
  readVariable(name: string): string | null;
  /** The user's stored login of a tool: files in the home folder that the command may read, and variables. Null if there is none. */
  findLogin(name: string, options: LoginOptions): Promise<Login | null>;
}

/** The hosts that a command may reach with a login. */
export interface LoginOptions {
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
}

/** The environment variables and credential files of a login. */
export type Login = Required<Pick<ShellOptions, "environment" | "credentialFiles">>;

export interface SecretRequest extends LoginOptions {
  readonly command: string;
  readonly secrets: readonly string[];
}

export type SecretGrant =
  /** `command` contains the real values. */
  | ({ readonly type: "granted"; readonly command: string } & Login)
  /** `why` is sent to the model. */
  | { readonly type: "refused"; readonly why: string };

const SECRET_PLACEHOLDER: RegExp = /^PITH_SECRET_[a-z0-9]{1,24}_[0-9a-f]{12}$/;
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;

/** Whether the text can be the name of a secret: a placeholder, a variable or a login. */
export function isSecretName(name: string): boolean {
  return VARIABLE_NAME.test(name);
}

export async function grantSecrets(request: SecretRequest, source: SecretSource): Promise<SecretGrant> {
  let { command } = request;
  const environment: Record<string, string> = {};
  const credentialFiles: string[] = [];
  for (const name of request.secrets) {
    const secret = await findSecret(name, request, source);
    if (secret === null) return { type: "refused", why: unknownSecretMessage(name) };
    Object.assign(environment, secret.environment);
    credentialFiles.push(...secret.credentialFiles);
    const value = SECRET_PLACEHOLDER.test(name) ? environment[name] : undefined;
    const substituted = value === undefined ? command : substituteSecret(command, name, value);
    if (substituted === null) return { type: "refused", why: unsafeValueMessage(name) };
    command = substituted;
  }
  return { type: "granted", command, environment, credentialFiles: [...new Set(credentialFiles)] };
}

async function findSecret(name: string, request: SecretRequest, source: SecretSource): Promise<Login | null> {
  if (LOGIN_NAMES.has(name)) return await source.findLogin(name, request);
  const value = SECRET_PLACEHOLDER.test(name) ? await source.resolvePlaceholder(name) : source.readVariable(name);
  // A placeholder is also a valid variable name.
  return value === null ? null : { environment: { [name]: value }, credentialFiles: [] };
}

/** SEC18: null if the value contains shell metacharacters. The command can still use it as a variable. */
function substituteSecret(command: string, placeholder: string, value: string): string | null {
  const placeholderPattern = new RegExp(`(?<!\\$|\\$\\{)${placeholder}`, "g");
  if (!placeholderPattern.test(command)) return command;
  return PLAIN_VALUE.test(value) ? command.replaceAll(placeholderPattern, () => value) : null;
}

const PLAIN_VALUE = /^[\w@%+=:,./-]+$/;

function unknownSecretMessage(name: string): string {
  if (SECRET_PLACEHOLDER.test(name))
    return `the command did not run: the secret for ${name} is no longer known; ${UNKNOWN_SECRET_ADVICE}`;
  if (LOGIN_NAMES.has(name)) return `the command did not run: the user has no ${name} login`;
  return `the command did not run: the variable ${name} is not set or cannot be passed to commands`;
}

function unsafeValueMessage(name: string): string {
  return `the command did not run: the value of ${name} contains shell metacharacters; write "$${name}" in the command instead`;
}
