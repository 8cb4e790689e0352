/** Keys of those who lend machines, databases and networks. */

import type { Family } from "../family.ts";
import { isVaried } from "../scanning/random.ts";

export const clouds: readonly Family[] = [
  {
    id: "awsid",
    name: "AWS access key",
    needles: ["AKIA", "ASIA", "ABIA", "ACCA"],
    pattern: "A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])",
    isLikely: (secret) => isVaried(secret) && !secret.endsWith("EXAMPLE"),
  },
  {
    id: "aws",
    name: "AWS secret key",
    needles: ["ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey", "ecret_key", "ECRET_KEY", "ecretKey"],
    pattern: "[A-Za-z_]{9,16}[\"']?[ \\t]{0,8}(?:=>|[:=])[ \\t]{0,8}[\"']?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])",
    isWithinWords: true,
    isLikely: (secret) => isVaried(secret) && !secret.endsWith("EXAMPLEKEY"),
  },
  {
    id: "awssession",
    name: "AWS session token",
    needles: ["ession_token", "ESSION_TOKEN", "essionToken", "ecurity_token", "ECURITY_TOKEN", "ecurityToken"],
    pattern: "[A-Za-z_]{10,16}[\"']?[ \\t]{0,8}(?:=>|[:=])[ \\t]{0,8}[\"']?([A-Za-z0-9+/]{100,2000}={0,2})",
    isWithinWords: true,
  },
  { id: "google", name: "Google API key", needles: ["AIza"], pattern: "AIza[\\w-]{35}(?![\\w-])" },
  {
    id: "googleoauth",
    name: "Google OAuth token",
    needles: ["ya29.", "GOCSPX-", "1//0"],
    pattern: "(?:ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{24,}|1//0[\\w-]{40,})",
  },
  {
    id: "azure",
    name: "Azure key",
    needles: ["AccountKey=", "SharedAccessKey=", "SharedSecret="],
    pattern: "[A-Za-z]{9,16}=([A-Za-z0-9+/]{40,90}={1,2})",
    isWithinWords: true,
  },
  {
    id: "azureclient",
    name: "Azure client secret",
    needles: [..."0123456789"].map((digit) => `${digit}Q~`),
    pattern: "[\\w~.]{3}[0-9]Q~[\\w~.-]{31,100}",
    back: { letters: /[\w~.]/, most: 3 },
  },
  {
    id: "azuresas",
    name: "Azure shared signature",
    needles: ["&sig=", "?sig="],
    pattern: "[&?]sig=([A-Za-z0-9%+/]{40,90}(?:%3D|=){1,2})",
    isWithinWords: true,
  },
  { id: "alibaba", name: "Alibaba Cloud key", needles: ["LTAI"], pattern: "LTAI[A-Za-z0-9]{16,26}(?![A-Za-z0-9])" },
  {
    id: "digitalocean",
    name: "DigitalOcean token",
    needles: ["dop_v1_", "doo_v1_", "dor_v1_"],
    pattern: "do[por]_v1_[0-9a-f]{64}",
  },
  { id: "heroku", name: "Heroku key", needles: ["HRKU-"], pattern: "HRKU-[\\w-]{36,}" },
  {
    id: "fly",
    name: "Fly.io token",
    needles: ["fo1_", "fm1r_", "fm1a_", "fm2_"],
    pattern: "f(?:o1|m1[ra]|m2)_[\\w+/-]{40,2000}={0,2}",
  },
  {
    id: "netlify",
    name: "Netlify token",
    needles: ["nfp_", "nfc_", "nfo_", "nfu_"],
    pattern: "nf[pcou]_[A-Za-z0-9]{36,}",
  },
  {
    id: "supabase",
    name: "Supabase key",
    needles: ["sbp_", "sb_secret_"],
    pattern: "sb(?:p_[0-9a-f]{40,}|_secret_[\\w-]{20,})",
  },
  {
    id: "planetscale",
    name: "PlanetScale secret",
    needles: ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
    pattern: "pscale_(?:tkn|pw|oauth)_[\\w=.-]{32,600}",
  },
  { id: "databricks", name: "Databricks token", needles: ["dapi"], pattern: "dapi[0-9a-f]{32}(?:-\\d)?(?![0-9a-f])" },
];
