/** Gives a command the secrets that it asked for by name, once they are permitted. No value stands in a result or a question. */

import { LOGIN_NAMES } from "../../permissions/question.ts";
import type { ShellOptions } from "../../ports.ts";

/** Where the true values come from. Asked only for names that the user has permitted. */
export interface SecretSource {
  /** Null where it is not known. */
  resolvePlaceholder(placeholder: string): Promise<string | null>;
  /** Null where it is not set, or is a key of the program's own. */
  readVariable(name: string): string | null;
  /** What the user has stored for a tool: files of the home that a command may see, and variables. Null where there is none. */
  findLogin(name: string, wish: LoginOptions): Promise<Login | null>;
}

export interface LoginOptions {
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
}

export type Login = Required<Pick<ShellOptions, "environment" | "credentialFiles">>;

export interface SecretRequest extends LoginOptions {
  readonly command: string;
  readonly secrets: readonly string[];
}

export type SecretGrant =
  | ({ readonly type: "granted" /** With the true values in it. */; readonly command: string } & Login)
  /** `why` is told to the model. */
  | { readonly type: "refused"; readonly why: string };

export const SECRET_PLACEHOLDER: RegExp = /^PITH_SECRET_[a-z0-9]{1,24}_[0-9a-f]{12}$/;
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;

/** Whether it can name a secret: a placeholder, a variable or a login. */
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
  // A placeholder is a name that a variable can have, too.
  return value === null ? null : { environment: { [name]: value }, credentialFiles: [] };
}

/** SEC18: null where its value has signs that a shell acts on; as a variable it can be used all the same. */
function substituteSecret(command: string, placeholder: string, value: string): string | null {
  const placeholderPattern = new RegExp(`(?<!\\$|\\$\\{)${placeholder}`, "g");
  if (!placeholderPattern.test(command)) return command;
  return PLAIN_VALUE.test(value) ? command.replaceAll(placeholderPattern, () => value) : null;
}

const PLAIN_VALUE = /^[\w@%+=:,./-]+$/;

function unknownSecretMessage(name: string): string {
  const advice = "read the file that holds it again, or ask the user for it, then repeat the call";
  if (SECRET_PLACEHOLDER.test(name))
    return `it was not run: ${name} stands for a secret that is not known any more; ${advice}`;
  if (LOGIN_NAMES.has(name)) return `it was not run: the user has no ${name} login that could be passed`;
  return `it was not run: there is no variable ${name} that could be passed`;
}

function unsafeValueMessage(name: string): string {
  return `it was not run: the value of ${name} has characters that a shell acts on; write "$${name}" in the command instead`;
}
