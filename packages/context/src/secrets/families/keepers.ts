/** Tokens of registries, and of those who keep the secrets of others. */

import type { Family } from "../family.ts";
import { isRandom } from "../scanning/random.ts";

export const keepers: readonly Family[] = [
  { id: "npm", name: "npm token", needles: ["npm_"], pattern: "npm_[A-Za-z0-9]{36,}" },
  {
    id: "npmrc",
    name: "npm login",
    needles: ["_authToken", "_auth", "_password"],
    pattern: "_(?:authToken|auth|password)[ \\t]{0,4}=[ \\t]{0,4}[\"']?([\\w+/=.-]{12,256})",
    isWithinWords: true,
    isLikely: isRandom,
  },
  { id: "pypi", name: "PyPI token", needles: ["pypi-AgE"], pattern: "pypi-AgE[\\w-]{50,}" },
  { id: "rubygems", name: "RubyGems key", needles: ["rubygems_"], pattern: "rubygems_[0-9a-f]{48}" },
  {
    id: "crates",
    name: "crates.io token",
    needles: ["cio"],
    pattern: "cio[A-Za-z0-9]{32}(?![A-Za-z0-9])",
    isLikely: isRandom,
  },
  { id: "docker", name: "Docker token", needles: ["dckr_pat_", "dckr_oat_"], pattern: "dckr_[po]at_[\\w-]{27,}" },
  {
    id: "dockerlogin",
    name: "Docker login",
    needles: ['"auth"', '\\"auth\\"'],
    pattern: '\\\\?"auth\\\\?"[ \\t]{0,4}:[ \\t]{0,4}\\\\?"([A-Za-z0-9+/]{12,400}={0,2})\\\\?"',
    isWithinWords: true,
    isLikely: isLogin,
  },
  { id: "hashivault", name: "Vault token", needles: ["hvs.", "hvb.", "hvr."], pattern: "hv[sbr]\\.[\\w-]{24,}" },
  {
    id: "terraform",
    name: "Terraform token",
    needles: [".atlasv1."],
    pattern: "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}",
    back: { letters: /[A-Za-z0-9]/, most: 14 },
  },
  { id: "pulumi", name: "Pulumi token", needles: ["pul-"], pattern: "pul-[0-9a-f]{40}" },
  {
    id: "doppler",
    name: "Doppler token",
    needles: ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
    pattern: "dp\\.(?:pt|ct|sa|scim|audit|st)\\.(?:[\\w-]{2,35}\\.)?[A-Za-z0-9]{40,}",
  },
  { id: "onepassword", name: "1Password token", needles: ["ops_eyJ"], pattern: "ops_eyJ[\\w+/-]{100,2000}={0,2}" },
  { id: "age", name: "age key", needles: ["AGE-SECRET-KEY-1"], pattern: "AGE-SECRET-KEY-1[0-9A-Z]{50,}" },
];

/** Base64 of a name and a password, as Docker and HTTP have it. */
export function isLogin(secret: string): boolean {
  try {
    return /^[\x21-\x7e]{1,100}:[\x20-\x7e]{3,}$/.test(atob(secret));
  } catch {
    // No Base64 at all.
    return false;
  }
}
