/** Gives a command the secrets that it asked for by name, once they are permitted. No value stands in a result or a question. */

import { LOGINS } from "../../permissions/question.ts";
import type { ShellAct } from "../../ports.ts";

/** Where the true values come from. Asked only for names that the user has permitted. */
export interface SecretSource {
  /** Null where it is not known. */
  placeholder(placeholder: string): Promise<string | null>;
  /** Null where it is not set, or is a key of the program's own. */
  variable(name: string): string | null;
  /** What the user has stored for a tool: files of the home that a command may see, and variables. Null where there is none. */
  login(name: string, wish: LoginWish): Promise<Login | null>;
}

export interface LoginWish {
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
}

export type Login = Required<Pick<ShellAct, "environment" | "credentialFiles">>;

export interface SecretWish extends LoginWish {
  readonly command: string;
  readonly secrets: readonly string[];
}

export type SecretGrant =
  | ({ readonly type: "granted" /** With the true values in it. */; readonly command: string } & Login)
  /** `why` is told to the model. */
  | { readonly type: "refused"; readonly why: string };

export const SECRET_PLACEHOLDER: RegExp = /^PITH_SECRET_[a-z0-9]{1,24}_[0-9a-f]{12}$/;
const VARIABLE = /^[A-Za-z_]\w*$/;

/** Whether it can name a secret: a placeholder, a variable or a login. */
export function isSecretName(name: string): boolean {
  return VARIABLE.test(name);
}

export async function grantSecrets(wish: SecretWish, source: SecretSource): Promise<SecretGrant> {
  let { command } = wish;
  const environment: Record<string, string> = {};
  const files: string[] = [];
  for (const name of wish.secrets) {
    const found = await find(name, wish, source);
    if (found === null) return { type: "refused", why: unknownSecret(name) };
    Object.assign(environment, found.environment);
    files.push(...found.credentialFiles);
    const value = SECRET_PLACEHOLDER.test(name) ? environment[name] : undefined;
    const restored = value === undefined ? command : withValue(command, name, value);
    if (restored === null) return { type: "refused", why: notPlain(name) };
    command = restored;
  }
  return { type: "granted", command, environment, credentialFiles: [...new Set(files)] };
}

async function find(name: string, wish: SecretWish, source: SecretSource): Promise<Login | null> {
  if (LOGINS.has(name)) return await source.login(name, wish);
  const value = SECRET_PLACEHOLDER.test(name) ? await source.placeholder(name) : source.variable(name);
  // A placeholder is a name that a variable can have, too.
  return value === null ? null : { environment: { [name]: value }, credentialFiles: [] };
}

/** SEC18: null where its value has signs that a shell acts on; as a variable it can be used all the same. */
function withValue(command: string, placeholder: string, value: string): string | null {
  const bare = new RegExp(`(?<!\\$|\\$\\{)${placeholder}`, "g");
  if (!bare.test(command)) return command;
  return PLAIN.test(value) ? command.replaceAll(bare, () => value) : null;
}

const PLAIN = /^[\w@%+=:,./-]+$/;

function unknownSecret(name: string): string {
  const again = "read the file that holds it again, or ask the user for it, then repeat the call";
  if (SECRET_PLACEHOLDER.test(name))
    return `it was not run: ${name} stands for a secret that is not known any more; ${again}`;
  if (LOGINS.has(name)) return `it was not run: the user has no ${name} login that could be passed`;
  return `it was not run: there is no variable ${name} that could be passed`;
}

function notPlain(name: string): string {
  return `it was not run: the value of ${name} has characters that a shell acts on; write "$${name}" in the command instead`;
}
