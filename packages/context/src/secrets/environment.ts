/** Finds secrets in environment variables, by name or because the user lists them, in every form their values may take. */

import type { Kind } from "./matches.ts";
import { isVaried } from "./pattern.ts";
import { kindOfAll, scan } from "./scan.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSecret {
  /** Of the variable. */
  readonly name: string;
  readonly value: string;
}

/** `names` are variables whose values are secrets whatever they look like. */
export function environmentSecrets(variables: Variables, names: readonly string[] = []): readonly EnvironmentSecret[] {
  return Object.entries(variables).flatMap(([name, value = ""]) => {
    const isListed = names.includes(name) && value.length >= LEAST_LISTED;
    return isListed || (isSecretName(name) && isSecretValue(value)) ? [{ name, value }] : [];
  });
}

/** Names of the variables that a program should not hand on: their names or their values look secret, or `names` lists them. */
export function secretVariables(variables: Variables, names: readonly string[] = []): readonly string[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    names.includes(name) || isSecretName(name) || OPENING.test(name) || hasLogin(value) || hasSecret(value)
      ? [name]
      : [],
  );
}

/** Names of variables that open a vault, or that hold what somebody sends to a host, though neither word is in them. */
const OPENING =
  /^(?:BW_SESSION|OP_SESSION_\w+|BUNDLE_\w+__\w+)$|(?:^|_)(?:CREDS|CONNECTION_?STRING|WEBHOOK(?:_URL)?)$/i;

function hasLogin(value: string): boolean {
  return LOGIN.test(value) || SETTING.test(value);
}

/** A part of a connection string, as databases and clouds have them. */
const SETTING = /(?:^|[;?&\s])(?:password|passwd|pwd|accountkey|sharedaccesskey|sharedaccesssignature)\s*=\s*[^;&\s]/i;

/** An address with a password in it. */
const LOGIN = /:\/\/[^\s/:@]*:[^\s/@]+@/;

/** Whether a part of the text is known to be a secret by its shape. */
export function hasSecret(text: string): boolean {
  return scan(text).spots.length > 0;
}

/** Shorter ones would stand in the middle of words. */
const LEAST_LISTED = 6;
const LEAST = 12;
/** Whatever is longer is no name, and would take long to look at. */
const LONGEST_NAME = 80;

export function isSecretName(name: string): boolean {
  return name.length <= LONGEST_NAME && SECRET.test(name) && !HARMLESS.test(name);
}

const SECRET =
  /(?:^|_)(?:.*KEY|.*TOKEN|.*SECRETS?|.*PASSWORD|.*PASSWD|PASS|.*PASSPHRASE|PAT|PWD|CREDENTIALS?|AUTH|DSN|.*COOKIE)(?:_(?:ID|VALUE|BASE64|B64|\d+|PROD|PRODUCTION|STAGING|DEV|TEST|LIVE))?$/i;
const HARMLESS =
  /^(?:OLD)?PWD$|KEYBOARD|KEYMAP|^GPG_KEY$|_?PUBLIC_?KEY|^SSH_AUTH_SOCK$|TOKENIZERS?|MONKEY|DONKEY|TURKEY|HOTKEY/i;

function isSecretValue(value: string): boolean {
  if (value.length < LEAST || /^(?:[~.]{0,2}\/|[A-Za-z]:\\|file:)/.test(value) || /^\$?\{/.test(value)) return false;
  if (/^https?:\/\/[^@]*$/.test(value)) return false;
  return isVaried(value) && /\d|[^A-Za-z]/.test(value) && new Set(value).size >= 7;
}

/** Whether what stands under this name in an object is a secret, where it looks like one. */
export function isSecretField(name: string): boolean {
  return name.length <= LONGEST_NAME && FIELD.test(name) && !PASSED_ON.test(name);
}

const FIELD = /secret|token|passw|passphrase|credential|(?:api|access|private|auth|account|signing)[-_]?key/i;
/** What one hands on to have the next page. */
const PASSED_ON = /(?:page|next|continuation|sync|cursor|resume)[-_]?token/i;

/** The forms in which a value may come to light: as it is, in JSON, in an address. Of several lines, each for itself. */
export function formsOf(value: string): readonly string[] {
  const lines = value.includes("\n")
    ? value.split(/\r?\n/).filter((line) => line.length >= LONG_LINE && !line.startsWith("--"))
    : [value];
  const forms = [...lines, value.trim(), JSON.stringify(value).slice(1, -1), encoded(value)];
  return [...new Set(forms)].filter((form) => form !== "" && !form.includes("\n"));
}

const LONG_LINE = 16;

function encoded(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

/** As it looks where every byte is taken for a letter. */
export function asBytes(value: string): string {
  return Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join("");
}

export interface ExpectedValue {
  readonly seen: string;
  readonly kind: Kind;
  /** It counts whatever it looks like. */
  readonly isListed: boolean;
}

/** `names` are variables whose values are secrets whatever they look like. */
export function expectedValues(variables: Variables, names: readonly string[]): readonly ExpectedValue[] {
  const named = environmentSecrets(variables, names).flatMap(({ name, value }) => {
    const kind: Kind = { id: kindOfAll(value)?.id ?? "env", name };
    const bytes = asBytes(value);
    const asIs = formsOf(value).map((seen) => ({ seen, kind, isListed: true }));
    return bytes === value ? asIs : [...asIs, { seen: bytes, kind: { ...kind, value }, isListed: true }];
  });
  const shaped = Object.values(variables).flatMap((value = "") =>
    scan(value).spots.map(({ start, end, kind }) => ({ seen: value.slice(start, end), kind, isListed: false })),
  );
  return [...named, ...shaped];
}
