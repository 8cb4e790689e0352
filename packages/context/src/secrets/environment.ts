/** Finds secrets in environment variables, by name or because the user lists them, in every form their values may take. */

import type { SecretKind } from "./matches.ts";
import { isVaried } from "./pattern.ts";
import { classifySecret, scanForSecrets } from "./scan.ts";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSecret {
  /** Of the variable. */
  readonly name: string;
  readonly value: string;
}

/** `names` are variables whose values are secrets whatever they look like. */
export function collectEnvironmentSecrets(
  variables: EnvironmentVariables,
  listedNames: readonly string[] = [],
): readonly EnvironmentSecret[] {
  return Object.entries(variables).flatMap(([name, value = ""]) => {
    const isListed = listedNames.includes(name) && value.length >= MIN_LISTED_VALUE_CHARS;
    return isListed || (isSecretName(name) && isSecretValue(value)) ? [{ name, value }] : [];
  });
}

/** Names of the variables that a program should not hand on: their names or their values look secret, or `names` lists them. */
export function findSecretVariables(
  variables: EnvironmentVariables,
  listedNames: readonly string[] = [],
): readonly string[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    listedNames.includes(name) ||
    isSecretName(name) ||
    EXTRA_SECRET_VARIABLE.test(name) ||
    hasCredentials(value) ||
    hasSecret(value)
      ? [name]
      : [],
  );
}

/** Names of variables that open a vault, or that hold what somebody sends to a host, though neither word is in them. */
const EXTRA_SECRET_VARIABLE =
  /^(?:BW_SESSION|OP_SESSION_\w+|BUNDLE_\w+__\w+)$|(?:^|_)(?:CREDS|CONNECTION_?STRING|WEBHOOK(?:_URL)?)$/i;

function hasCredentials(value: string): boolean {
  return URL_WITH_PASSWORD.test(value) || CONNECTION_STRING_PASSWORD.test(value);
}

/** A part of a connection string, as databases and clouds have them. */
const CONNECTION_STRING_PASSWORD =
  /(?:^|[;?&\s])(?:password|passwd|pwd|accountkey|sharedaccesskey|sharedaccesssignature)\s*=\s*[^;&\s]/i;

/** An address with a password in it. */
const URL_WITH_PASSWORD = /:\/\/[^\s/:@]*:[^\s/@]+@/;

/** Whether a part of the text is known to be a secret by its shape. */
export function hasSecret(text: string): boolean {
  return scanForSecrets(text).matches.length > 0;
}

/** Shorter ones would stand in the middle of words. */
const MIN_LISTED_VALUE_CHARS = 6;
const MIN_SECRET_VALUE_CHARS = 12;
/** Whatever is longer is no name, and would take long to look at. */
const MAX_SECRET_NAME_CHARS = 80;

export function isSecretName(name: string): boolean {
  return name.length <= MAX_SECRET_NAME_CHARS && SECRET_NAME_PATTERN.test(name) && !HARMLESS_NAME_PATTERN.test(name);
}

const SECRET_NAME_PATTERN =
  /(?:^|_)(?:.*KEY|.*TOKEN|.*SECRETS?|.*PASSWORD|.*PASSWD|PASS|.*PASSPHRASE|PAT|PWD|CREDENTIALS?|AUTH|DSN|.*COOKIE)(?:_(?:ID|VALUE|BASE64|B64|\d+|PROD|PRODUCTION|STAGING|DEV|TEST|LIVE))?$/i;
const HARMLESS_NAME_PATTERN =
  /^(?:OLD)?PWD$|KEYBOARD|KEYMAP|^GPG_KEY$|_?PUBLIC_?KEY|^SSH_AUTH_SOCK$|TOKENIZERS?|MONKEY|DONKEY|TURKEY|HOTKEY/i;

function isSecretValue(value: string): boolean {
  if (value.length < MIN_SECRET_VALUE_CHARS || /^(?:[~.]{0,2}\/|[A-Za-z]:\\|file:)/.test(value) || /^\$?\{/.test(value))
    return false;
  if (/^https?:\/\/[^@]*$/.test(value)) return false;
  return isVaried(value) && /\d|[^A-Za-z]/.test(value) && new Set(value).size >= 7;
}

/** Whether what stands under this name in an object is a secret, where it looks like one. */
export function isSecretField(name: string): boolean {
  return name.length <= MAX_SECRET_NAME_CHARS && SECRET_FIELD_PATTERN.test(name) && !PAGE_TOKEN_PATTERN.test(name);
}

const SECRET_FIELD_PATTERN =
  /secret|token|passw|passphrase|credential|(?:api|access|private|auth|account|signing)[-_]?key/i;
/** What one hands on to have the next page. */
const PAGE_TOKEN_PATTERN = /(?:page|next|continuation|sync|cursor|resume)[-_]?token/i;

/** The forms in which a value may come to light: as it is, in JSON, in an address. Of several lines, each for itself. */
export function collectValueForms(value: string): readonly string[] {
  const lines = value.includes("\n")
    ? value.split(/\r?\n/).filter((line) => line.length >= MIN_SECRET_LINE_CHARS && !line.startsWith("--"))
    : [value];
  const forms = [...lines, value.trim(), JSON.stringify(value).slice(1, -1), encodeForUrl(value)];
  return [...new Set(forms)].filter((form) => form !== "" && !form.includes("\n"));
}

const MIN_SECRET_LINE_CHARS = 16;

function encodeForUrl(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

/** As it looks where every byte is taken for a letter. */
export function toByteString(value: string): string {
  return Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join("");
}

export interface EnvironmentValue {
  readonly text: string;
  readonly kind: SecretKind;
  /** It counts whatever it looks like. */
  readonly isListed: boolean;
}

/** `names` are variables whose values are secrets whatever they look like. */
export function collectEnvironmentValues(
  variables: EnvironmentVariables,
  listedNames: readonly string[],
): readonly EnvironmentValue[] {
  const fromNames = collectEnvironmentSecrets(variables, listedNames).flatMap(({ name, value }) => {
    const kind: SecretKind = { id: classifySecret(value)?.id ?? "env", name };
    const byteString = toByteString(value);
    const plainForms = collectValueForms(value).map((text) => ({ text, kind, isListed: true }));
    return byteString === value
      ? plainForms
      : [...plainForms, { text: byteString, kind: { ...kind, value }, isListed: true }];
  });
  const fromPatterns = Object.values(variables).flatMap((value = "") =>
    scanForSecrets(value).matches.map(({ start, end, kind }) => ({
      text: value.slice(start, end),
      kind,
      isListed: false,
    })),
  );
  return [...fromNames, ...fromPatterns];
}
