/** Finds secrets in environment variables, by name, by pattern or because the user lists them, in every form their values may take. */

import type { SecretKind } from "./matches.ts";
import { isLikelyPassword, isVaried } from "./randomness.ts";
import { classifySecret, scanForSecrets } from "./scan.ts";

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSecret {
  /** The name of the variable. */
  readonly name: string;
  readonly value: string;
}

/** Collects the variables with a secret name and value; the values of `listedNames` always count as secrets. */
function collectEnvironmentSecrets(
  variables: EnvironmentVariables,
  listedNames: readonly string[] = [],
): readonly EnvironmentSecret[] {
  return Object.entries(variables).flatMap(([name, value = ""]) => {
    const isListed = listedNames.includes(name) && value.length >= MIN_LISTED_VALUE_CHARS;
    return isListed || (isSecretName(name) && isSecretValue(value)) ? [{ name, value }] : [];
  });
}

/** The names of variables that should not be passed to other programs: the name or the value looks secret, or `listedNames` contains it. */
export function findSecretVariables(
  variables: EnvironmentVariables,
  listedNames: readonly string[] = [],
): readonly string[] {
  return Object.entries(variables).flatMap(([name, value = ""]) =>
    listedNames.includes(name) ||
    isSecretName(name) ||
    EXTRA_SECRET_VARIABLE.test(name) ||
    URL_WITH_PASSWORD.test(value) ||
    CONNECTION_STRING_PASSWORD.test(value) ||
    hasSecret(value)
      ? [name]
      : [],
  );
}

/** Variables of password managers and services that contain secrets, although their names do not say so. */
const EXTRA_SECRET_VARIABLE =
  /^(?:BW_SESSION|OP_SESSION_\w+|BUNDLE_\w+__\w+)$|(?:^|_)(?:CREDS|CONNECTION_?STRING|WEBHOOK(?:_URL)?)$/i;

/** A password in a connection string of a database or cloud service. */
const CONNECTION_STRING_PASSWORD =
  /(?:^|[;?&\s])(?:password|passwd|pwd|accountkey|sharedaccesskey|sharedaccesssignature)\s*=\s*[^;&\s]/i;

/** A URL with a password. */
const URL_WITH_PASSWORD = /:\/\/[^\s/:@]*:[^\s/@]+@/;

/** Whether the text contains a secret that matches a pattern. */
export function hasSecret(text: string): boolean {
  return scanForSecrets(text).matches.length > 0;
}

/** Shorter values would match inside words. */
const MIN_LISTED_VALUE_CHARS = 6;
const MIN_SECRET_VALUE_CHARS = 12;
/** A longer text is not a name, and would be slow to match. */
const MAX_SECRET_NAME_CHARS = 80;

function isSecretName(name: string): boolean {
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

/** Whether a field with this name contains a secret if its value looks like one. */
export function isSecretField(name: string): boolean {
  return name.length <= MAX_SECRET_NAME_CHARS && SECRET_FIELD_PATTERN.test(name) && !PAGE_TOKEN_PATTERN.test(name);
}

const SECRET_FIELD_PATTERN =
  /secret|token|passw|passphrase|credential|(?:api|access|private|auth|account|signing)[-_]?key/i;
/** Pagination tokens, which are not secret. */
const PAGE_TOKEN_PATTERN = /(?:page|next|continuation|sync|cursor|resume)[-_]?token/i;

/** The forms in which a value may appear: as it is, in JSON, in a URL. The lines of a multiline value count separately. */
function collectValueForms(value: string): readonly string[] {
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

/** The UTF-8 bytes of a value, read as latin1. */
function toByteString(value: string): string {
  return Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join("");
}

export interface EnvironmentValue {
  readonly text: string;
  readonly kind: SecretKind;
  /** Whether it counts as a secret even if it looks like an ordinary word. */
  readonly isListed: boolean;
}

/** Collects the secret values of the environment in all their forms; the values of `listedNames` always count as secrets. */
export function collectEnvironmentValues(
  variables: EnvironmentVariables,
  listedNames: readonly string[],
): readonly EnvironmentValue[] {
  const fromNames = collectEnvironmentSecrets(variables, listedNames).flatMap(collectSecretForms);
  const fromPatterns = Object.values(variables).flatMap((value = "") =>
    scanForSecrets(value).matches.map(({ start, end, kind }) => ({
      text: value.slice(start, end),
      kind,
      isListed: false,
    })),
  );
  return [...fromNames, ...fromPatterns];
}

function collectSecretForms({ name, value }: EnvironmentSecret): readonly EnvironmentValue[] {
  const kind: SecretKind = { id: classifySecret(value)?.id ?? "env", name };
  const byteString = toByteString(value);
  const plainForms = collectValueForms(value).map((text) => ({ text, kind, isListed: true }));
  return byteString === value
    ? plainForms
    : [...plainForms, { text: byteString, kind: { ...kind, value }, isListed: true }];
}

/** Collects a key that the program uses, in all its forms. It counts as a secret whatever its name and shape, unless it is a short word. */
export function collectKeyValues({ name, value }: EnvironmentSecret): readonly EnvironmentValue[] {
  return isKeyValue(value.trim()) ? collectSecretForms({ name, value: value.trim() }) : [];
}

/** Servers on the user's machine accept any key, such as `ollama` or `not-needed`. Redacting such words would break ordinary text. */
function isKeyValue(value: string): boolean {
  if (value.length >= MIN_SECRET_VALUE_CHARS) return new Set(value).size >= MIN_KEY_VARIETY;
  return value.length >= MIN_LISTED_VALUE_CHARS && /[^A-Za-z._-]/.test(value) && isLikelyPassword(value);
}

const MIN_KEY_VARIETY = 4;
