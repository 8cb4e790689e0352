/** Secrets that are known by how they are carried: in an address, a header, a signed token, or behind a name that says what they are. */

import type { Family } from "../family.ts";
import { isPassword, isRandom, isVaried } from "../scanning/random.ts";
import { isLogin } from "./keepers.ts";

/** What may be one where there is a name for it; what is called or looked up with it is none. */
const VALUE = "([\\w+/=.~!@#%^&*-]{16,256})(?![\\w+/=.~!@#%^&*(\\[{-])";

/** What stands between a name and its value: in settings, code with and without types, calls, and XML. */
const SAID = "(?::[ \\t]?\\w{1,20}[ \\t]?(?==))?[ \\t]{0,4}(?:=>|:=|={1,3}|[:>]|[(,](?=[ \\t]{0,2}[\"'`]))[ \\t]{0,4}";

export const carried: readonly Family[] = [
  {
    id: "jwt",
    name: "JSON Web Token",
    needles: ["eyJ"],
    pattern: "eyJ[\\w-]{10,}\\.[\\w-]{10,}\\.[\\w-]{20,}",
    isLikely: isSignedToken,
  },
  {
    id: "urlpassword",
    name: "password in an address",
    needles: ["://"],
    pattern: "://[^\\s/@:\"'`<>{}$\\\\]{0,80}:([^\\s/@\"'`<>{}$\\\\\\u0080-\\uffff]{6,200})@[\\w\\[.-]",
    isWithinWords: true,
    isLikely: isPassword,
  },
  {
    id: "bearer",
    name: "bearer token",
    needles: ["earer ", "EARER "],
    pattern: "(?:earer|EARER) {1,4}([\\w.~+/-]{20,2000}={0,2})",
    isWithinWords: true,
    isWeak: true,
    isLikely: isRandom,
  },
  {
    id: "basic",
    name: "login in a header",
    needles: ["asic "],
    pattern: "asic {1,4}([A-Za-z0-9+/]{8,400}={0,2})(?![A-Za-z0-9+/=])",
    isWithinWords: true,
    isLikely: isLogin,
  },
  {
    id: "flagged",
    name: "secret in a command",
    needles: namesOfSecrets(),
    pattern: `(?<=--[a-z-]{0,20})[\\w-]{0,20}[ \\t]{1,4}["']?${VALUE}`,
    isWithinWords: true,
    isWeak: true,
    isLikely: isRandom,
  },
  {
    id: "login",
    name: "password in a login",
    needles: ["assword ", "-u "],
    pattern: `(?:assword[ \\t]{1,4}|-u ["']?[\\w.@+-]{1,60}:)${VALUE}`,
    isWithinWords: true,
    isWeak: true,
    isLikely: isRandom,
  },
  {
    id: "assigned",
    name: "secret behind a name",
    needles: namesOfSecrets(),
    pattern: `[\\w-]{0,40}(?:\\\\?["'\`])?\\]?${SAID}(?:\\\\?["'\`])?${VALUE}`,
    isWithinWords: true,
    isWeak: true,
    isLikely: isRandom,
  },
];

/** As they stand in code, in settings and in shells; without their first letters, which differ. */
function namesOfSecrets(): readonly string[] {
  const words = ["password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "access_key"];
  const more = [
    "accesskey",
    "access-key",
    "private_key",
    "privatekey",
    "auth_key",
    "authkey",
    "account_key",
    "accountkey",
  ];
  const last = ["credential", "client_key", "encryption_key", "signing_key", "signingkey", "master_key", "webhook_key"];
  const humps = ["piKey", "ccessKey", "rivateKey", "uthKey", "ccountKey", "ncryptionKey", "igningKey", "asterKey"];
  const small = [...words, ...more, ...last].map((word) => word.slice(1));
  return [...new Set([...small, ...small.map((word) => word.toUpperCase()), ...humps])];
}

/** Whose first part says how it was signed. */
function isSignedToken(secret: string): boolean {
  try {
    const [head = ""] = secret.split(".");
    return isVaried(secret) && atob(head.replaceAll("-", "+").replaceAll("_", "/")).includes('"alg"');
  } catch {
    // No Base64: it only looks like one.
    return false;
  }
}
