/** Lists all secret patterns. If two match, the earlier one wins. */

import { gitleaksPatterns } from "./gitleaks-patterns.ts";
import type { SecretPattern } from "./matches.ts";
import { isLikelyPassword, isRandom, isVaried, shannonEntropy } from "./randomness.ts";

/** Registries and secret managers. */
const registryPatterns: readonly SecretPattern[] = [
  { id: "npm", name: "npm token", prefixes: ["npm_"], pattern: "npm_[A-Za-z0-9]{36,}" },
  {
    id: "npmrc",
    name: "npm login",
    prefixes: ["_authToken", "_auth", "_password"],
    pattern: "_(?:authToken|auth|password)[ \\t]{0,4}=[ \\t]{0,4}(?:\\\\?[\"'])?([\\w+/=.-]{12,256})",
    isWithinWords: true,
    isLikely: isRandom,
  },
  { id: "pypi", name: "PyPI token", prefixes: ["pypi-AgE"], pattern: "pypi-AgE[\\w-]{50,}" },
  { id: "rubygems", name: "RubyGems key", prefixes: ["rubygems_"], pattern: "rubygems_[0-9a-f]{48}" },
  {
    id: "crates",
    name: "crates.io token",
    prefixes: ["cio"],
    pattern: "cio[A-Za-z0-9]{32}(?![A-Za-z0-9])",
    isLikely: isRandom,
  },
  { id: "docker", name: "Docker token", prefixes: ["dckr_pat_", "dckr_oat_"], pattern: "dckr_[po]at_[\\w-]{27,}" },
  {
    id: "dockerlogin",
    name: "Docker login",
    prefixes: ['"auth"', '\\"auth\\"'],
    pattern: '\\\\?"auth\\\\?"[ \\t]{0,4}:[ \\t]{0,4}\\\\?"([A-Za-z0-9+/]{12,400}={0,2})\\\\?"',
    isWithinWords: true,
    isLikely: isBase64Login,
  },
  { id: "hashivault", name: "Vault token", prefixes: ["hvs.", "hvb.", "hvr."], pattern: "hv[sbr]\\.[\\w-]{24,}" },
  {
    id: "terraform",
    name: "Terraform token",
    prefixes: [".atlasv1."],
    pattern: "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}",
    lookbehind: { chars: /[A-Za-z0-9]/, maxChars: 14 },
  },
  { id: "pulumi", name: "Pulumi token", prefixes: ["pul-"], pattern: "pul-[0-9a-f]{40}" },
  {
    id: "doppler",
    name: "Doppler token",
    prefixes: ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
    pattern: "dp\\.(?:pt|ct|sa|scim|audit|st)\\.(?:[\\w-]{2,35}\\.)?[A-Za-z0-9]{40,}",
  },
  { id: "onepassword", name: "1Password token", prefixes: ["ops_eyJ"], pattern: "ops_eyJ[\\w+/-]{100,2000}={0,3}" },
  { id: "age", name: "age key", prefixes: ["AGE-SECRET-KEY-1"], pattern: "AGE-SECRET-KEY-1[0-9A-Z]{50,}" },
];

/** Whether a secret is the base64 form of `name:password`, as in Docker and HTTP logins. */
function isBase64Login(secret: string): boolean {
  try {
    return /^[\x21-\x7e]{1,100}:[\x20-\x7e]{3,}$/.test(atob(secret));
  } catch {
    // Not base64.
    return false;
  }
}

/** A value after a secret name; not if it is called or indexed, because then it is code. */
const SECRET_VALUE_PATTERN = "([\\w+/=.~!@#%^&*-]{16,256})(?![\\w+/=.~!@#%^&*(\\[{-])";

/** The text between a name and its value: in settings, code with and without types, calls, and XML. */
const SECRET_ASSIGNMENT_PATTERN =
  "(?::[ \\t]?\\w{1,20}[ \\t]?(?==))?[ \\t]{0,4}(?:=>|:=|={1,3}|[:>]|[(,](?=[ \\t]{0,2}[\"'`]))[ \\t]{0,4}";

/** Secrets known by their context: a URL, a header, a signed token, a command, or a secret name before them. */
const contextualPatterns: readonly SecretPattern[] = [
  {
    id: "jwt",
    name: "JSON Web Token",
    prefixes: ["eyJ"],
    pattern: "eyJ[\\w-]{10,}\\.[\\w-]{10,}\\.[\\w-]{20,}",
    isLikely: isJsonWebToken,
  },
  {
    id: "urlpassword",
    name: "password in an address",
    prefixes: ["://"],
    pattern: "://[^\\s/@:\"'`<>{}$\\\\]{0,80}:([^\\s/@\"'`<>{}$\\\\\\u0080-\\uffff]{6,200})@[\\w\\[.-]",
    isWithinWords: true,
    isLikely: isLikelyPassword,
  },
  {
    id: "bearer",
    name: "bearer token",
    prefixes: ["earer ", "EARER "],
    pattern: "(?:earer|EARER) {1,4}([\\w.~+/-]{20,2000}={0,2})",
    isWithinWords: true,
    isWeak: true,
    isLikely: isRandom,
  },
  {
    id: "basic",
    name: "login in a header",
    prefixes: ["asic "],
    pattern: "asic {1,4}([A-Za-z0-9+/]{8,400}={0,2})(?![A-Za-z0-9+/=])",
    isWithinWords: true,
    isLikely: isBase64Login,
  },
  {
    id: "flagged",
    name: "secret in a command",
    prefixes: secretNameStems(),
    pattern: `(?<=--[a-z-]{0,20})[\\w-]{0,20}[ \\t]{1,4}["']?${SECRET_VALUE_PATTERN}`,
    isWithinWords: true,
    isWeak: true,
    isLikely: isRandom,
  },
  {
    id: "login",
    name: "password in a login",
    prefixes: ["assword ", "-u "],
    pattern: `(?:assword[ \\t]{1,4}|-u ["']?[\\w.@+-]{1,60}:)${SECRET_VALUE_PATTERN}`,
    isWithinWords: true,
    isWeak: true,
    isLikely: isRandom,
  },
  {
    id: "assigned",
    name: "secret assigned to a name",
    prefixes: secretNameStems(),
    pattern: `[\\w-]{0,40}(?:\\\\?["'\`])?\\]?${SECRET_ASSIGNMENT_PATTERN}(?:\\\\?["'\`])?${SECRET_VALUE_PATTERN}`,
    isWithinWords: true,
    isWeak: true,
    isLikely: isRandom,
  },
];

/** Names of secrets in code, settings and shells, without their first letters, whose case differs. */
function secretNameStems(): readonly string[] {
  const commonNames = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
  ];
  const keyNames = [
    "accesskey",
    "access-key",
    "private_key",
    "privatekey",
    "auth_key",
    "authkey",
    "account_key",
    "accountkey",
  ];
  const otherNames = [
    "credential",
    "client_key",
    "encryption_key",
    "signing_key",
    "signingkey",
    "master_key",
    "webhook_key",
  ];
  const camelCaseStems = [
    "piKey",
    "ccessKey",
    "rivateKey",
    "uthKey",
    "ccountKey",
    "ncryptionKey",
    "igningKey",
    "asterKey",
  ];
  const lowerCaseStems = [...commonNames, ...keyNames, ...otherNames].map((stem) => stem.slice(1));
  return [...new Set([...lowerCaseStems, ...lowerCaseStems.map((stem) => stem.toUpperCase()), ...camelCaseStems])];
}

/** Whether the first part of a token names its signature algorithm. */
function isJsonWebToken(secret: string): boolean {
  try {
    const [header = ""] = secret.split(".");
    return isVaried(secret) && atob(header.replaceAll("-", "+").replaceAll("_", "/")).includes('"alg"');
  } catch {
    // Not base64, so not a token.
    return false;
  }
}

/** Cloud, database and network providers. */
const cloudPatterns: readonly SecretPattern[] = [
  {
    id: "awsid",
    name: "AWS access key",
    prefixes: ["AKIA", "ASIA", "ABIA", "ACCA", "A3T"],
    pattern: "A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z2-7]{16}(?![A-Za-z0-9])",
    isLikely: (secret) => isVaried(secret) && !secret.endsWith("EXAMPLE"),
  },
  {
    id: "aws",
    name: "AWS secret key",
    prefixes: ["ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey", "ecret_key", "ECRET_KEY", "ecretKey"],
    pattern: "[A-Za-z_]{9,16}[\"']?[ \\t]{0,8}(?:=>|[:=])[ \\t]{0,8}[\"']?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])",
    isWithinWords: true,
    isLikely: (secret) => isVaried(secret) && !secret.endsWith("EXAMPLEKEY"),
  },
  {
    id: "awssession",
    name: "AWS session token",
    prefixes: ["ession_token", "ESSION_TOKEN", "essionToken", "ecurity_token", "ECURITY_TOKEN", "ecurityToken"],
    pattern: "[A-Za-z_]{10,16}[\"']?[ \\t]{0,8}(?:=>|[:=])[ \\t]{0,8}[\"']?([A-Za-z0-9+/]{100,2000}={0,2})",
    isWithinWords: true,
  },
  { id: "google", name: "Google API key", prefixes: ["AIza"], pattern: "AIza[\\w-]{35}(?![\\w-])" },
  {
    id: "googleoauth",
    name: "Google OAuth token",
    prefixes: ["ya29.", "GOCSPX-", "1//0"],
    pattern: "(?:ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{24,}|1//0[\\w-]{40,})",
  },
  {
    id: "azure",
    name: "Azure key",
    prefixes: ["AccountKey=", "SharedAccessKey=", "SharedSecret="],
    pattern: "[A-Za-z]{9,16}=([A-Za-z0-9+/]{40,90}={1,2})",
    isWithinWords: true,
  },
  {
    id: "azureclient",
    name: "Azure client secret",
    prefixes: [..."0123456789"].map((digit) => `${digit}Q~`),
    pattern: "[\\w~.]{3}[0-9]Q~[\\w~.-]{31,100}",
    lookbehind: { chars: /[\w~.]/, maxChars: 3 },
  },
  {
    id: "azuresas",
    name: "Azure shared signature",
    prefixes: ["&sig=", "?sig="],
    pattern: "[&?]sig=([A-Za-z0-9%+/]{40,90}(?:%3D|=){1,2})",
    isWithinWords: true,
  },
  { id: "alibaba", name: "Alibaba Cloud key", prefixes: ["LTAI"], pattern: "LTAI[A-Za-z0-9]{16,26}(?![A-Za-z0-9])" },
  {
    id: "digitalocean",
    name: "DigitalOcean token",
    prefixes: ["dop_v1_", "doo_v1_", "dor_v1_"],
    pattern: "do[por]_v1_[0-9a-f]{64}",
  },
  { id: "heroku", name: "Heroku key", prefixes: ["HRKU-"], pattern: "HRKU-[\\w-]{36,}" },
  {
    id: "fly",
    name: "Fly.io token",
    prefixes: ["fo1_", "fm1r_", "fm1a_", "fm2_"],
    pattern: "f(?:o1|m1[ra]|m2)_[\\w+/-]{40,2000}={0,3}",
  },
  {
    id: "netlify",
    name: "Netlify token",
    prefixes: ["nfp_", "nfc_", "nfo_", "nfu_"],
    pattern: "nf[pcou]_[A-Za-z0-9]{36,}",
  },
  {
    id: "supabase",
    name: "Supabase key",
    prefixes: ["sbp_", "sb_secret_"],
    pattern: "sb(?:p_[0-9a-f]{40,}|_secret_[\\w-]{20,})",
  },
  {
    id: "planetscale",
    name: "PlanetScale secret",
    prefixes: ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
    pattern: "pscale_(?:tkn|pw|oauth)_[\\w=.-]{32,600}",
  },
  { id: "databricks", name: "Databricks token", prefixes: ["dapi"], pattern: "dapi[0-9a-f]{32}(?:-\\d)?(?![0-9a-f])" },
];

/** Code hosting and builds. */
const codeHostPatterns: readonly SecretPattern[] = [
  {
    id: "github",
    name: "GitHub token",
    prefixes: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: "gh[pousr]_[A-Za-z0-9]{36,}",
  },
  {
    id: "githubpat",
    name: "GitHub fine-grained token",
    prefixes: ["github_pat_"],
    pattern: "github_pat_[A-Za-z0-9_]{50,}",
  },
  {
    id: "gitlab",
    name: "GitLab token",
    prefixes: ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-"],
    pattern: "gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[\\w-]{20,}(?:\\.[\\w-]{2,20}){0,2}",
  },
  {
    id: "bitbucket",
    name: "Atlassian token",
    prefixes: ["ATATT3", "ATBB", "ATCTT3"],
    pattern: "AT(?:[AC]TT3[\\w=-]{60,600}|BB[A-Za-z0-9]{28,})",
  },
  { id: "buildkite", name: "Buildkite token", prefixes: ["bkua_"], pattern: "bkua_[0-9a-f]{40}" },
  { id: "circleci", name: "CircleCI token", prefixes: ["CCIPAT_", "CCIPRJ_"], pattern: "CCIP(?:AT|RJ)_[\\w-]{40,}" },
  { id: "sonar", name: "SonarQube token", prefixes: ["squ_", "sqp_", "sqa_"], pattern: "sq[upa]_[0-9a-f]{40}" },
  {
    id: "jfrog",
    name: "Artifactory token",
    prefixes: ["AKCp", "cmVmdGtuO"],
    pattern: "(?:AKCp[A-Za-z0-9]{60,}|cmVmdGtuO[A-Za-z0-9]{50,})",
  },
];

/** Shops and payments. */
const commercePatterns: readonly SecretPattern[] = [
  {
    id: "stripe",
    name: "Stripe key",
    prefixes: ["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
    pattern: "[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}",
  },
  {
    id: "stripehook",
    name: "webhook signing secret",
    prefixes: ["whsec_"],
    pattern: "whsec_[A-Za-z0-9+/]{24,600}={0,2}",
  },
  {
    id: "shopify",
    name: "Shopify token",
    prefixes: ["shpat_", "shpca_", "shppa_", "shpss_"],
    pattern: "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
  },
  { id: "square", name: "Square token", prefixes: ["sq0atp-", "sq0csp-"], pattern: "sq0(?:atp|csp)-[\\w-]{22,}" },
  {
    id: "braintree",
    name: "Braintree token",
    prefixes: ["access_token$production$", "access_token$sandbox$"],
    pattern: "access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}",
  },
  { id: "easypost", name: "EasyPost key", prefixes: ["EZAK", "EZTK"], pattern: "EZ[AT]K[A-Za-z0-9]{54}" },
];

/** Added to prefixes of two letters, which alone occur in too many words. */
const hexDigits: readonly string[] = [..."0123456789abcdef"];

/** Chat and e-mail services. */
const messageServicePatterns: readonly SecretPattern[] = [
  {
    id: "slack",
    name: "Slack token",
    prefixes: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-", "xoxc-", "xoxd-", "xoxo-"],
    pattern: "(?:xox[abcdeoprs](?:\\.xox[bp])?|xapp)-[\\w%-]{20,600}",
  },
  {
    id: "slackhook",
    name: "Slack webhook",
    prefixes: ["hooks.slack.com/"],
    pattern: "hooks\\.slack\\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,600})",
  },
  {
    id: "teamshook",
    name: "Microsoft Teams webhook",
    prefixes: [".webhook.office.com/"],
    pattern: "\\.webhook\\.office\\.com/webhookb2/([\\w@/-]{60,300})",
    isWithinWords: true,
  },
  {
    id: "discordhook",
    name: "Discord webhook",
    prefixes: ["/api/webhooks/"],
    pattern: "/api/webhooks/\\d{16,20}/([\\w-]{40,})",
    isWithinWords: true,
  },
  {
    id: "telegram",
    name: "Telegram bot token",
    prefixes: [":AA"],
    pattern: "\\d{8,10}:AA[\\w-]{32,34}(?![\\w-])",
    lookbehind: { chars: /\d/, maxChars: 10 },
  },
  {
    id: "twilio",
    name: "Twilio key",
    prefixes: hexDigits.map((digit) => `SK${digit}`),
    pattern: "SK[0-9a-f]{32}(?![0-9A-Za-z])",
  },
  {
    id: "sendgrid",
    name: "SendGrid key",
    prefixes: ["SG."],
    pattern: "SG\\.(?:[\\w-]{16,32}\\.[\\w-]{32,64}|[\\w=.-]{66}(?![\\w=-]))",
  },
  { id: "mailgun", name: "Mailgun key", prefixes: ["key-"], pattern: "key-[0-9a-f]{32}(?![0-9A-Za-z])" },
  {
    id: "mailchimp",
    name: "Mailchimp key",
    prefixes: ["-us"],
    pattern: "[0-9a-f]{32}-us\\d{1,2}(?![0-9A-Za-z])",
    lookbehind: { chars: /[0-9a-f]/, maxChars: 32 },
  },
  {
    id: "brevo",
    name: "Brevo key",
    prefixes: ["xkeysib-", "xsmtpsib-"],
    pattern: "x(?:keysib|smtpsib)-[0-9a-f]{64}-[\\w]{16}",
  },
];

/** Model providers. */
const modelProviderPatterns: readonly SecretPattern[] = [
  { id: "anthropic", name: "Anthropic key", prefixes: ["sk-ant-"], pattern: "sk-ant-[\\w-]{32,}" },
  { id: "openrouter", name: "OpenRouter key", prefixes: ["sk-or-"], pattern: "sk-or-(?:v1-)?[\\w-]{32,}" },
  {
    id: "openai",
    name: "OpenAI key",
    prefixes: ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sk-"],
    pattern: "sk-(?:(?:proj|svcacct|admin|None)-[\\w-]{20,}|[A-Za-z0-9]{32,})",
  },
  {
    id: "huggingface",
    name: "Hugging Face token",
    prefixes: ["hf_", "api_org_"],
    pattern: "(?:hf|api_org)_[A-Za-z0-9]{30,}",
  },
  { id: "groq", name: "Groq key", prefixes: ["gsk_"], pattern: "gsk_[A-Za-z0-9]{40,}" },
  { id: "xai", name: "xAI key", prefixes: ["xai-"], pattern: "xai-[A-Za-z0-9]{60,}" },
  { id: "perplexity", name: "Perplexity key", prefixes: ["pplx-"], pattern: "pplx-[A-Za-z0-9]{40,}" },
  { id: "replicate", name: "Replicate token", prefixes: ["r8_"], pattern: "r8_[A-Za-z0-9]{36,}" },
  { id: "langsmith", name: "LangSmith key", prefixes: ["lsv2_"], pattern: "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}" },
  { id: "tavily", name: "Tavily key", prefixes: ["tvly-"], pattern: "tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,}" },
];

/** Planning, design and monitoring tools. */
const productivityPatterns: readonly SecretPattern[] = [
  {
    id: "linear",
    name: "Linear key",
    prefixes: ["lin_api_", "lin_oauth_"],
    pattern: "lin_(?:api|oauth)_[A-Za-z0-9]{40,}",
  },
  { id: "notion", name: "Notion token", prefixes: ["ntn_"], pattern: "ntn_[A-Za-z0-9]{40,}" },
  {
    id: "airtable",
    name: "Airtable token",
    prefixes: ["pat"],
    pattern: "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}",
  },
  { id: "figma", name: "Figma token", prefixes: ["figd_"], pattern: "figd_[\\w-]{40,}" },
  { id: "postman", name: "Postman key", prefixes: ["PMAK-"], pattern: "PMAK-[0-9a-f]{24}-[0-9a-f]{34}" },
  {
    id: "maxmind",
    name: "MaxMind key",
    prefixes: ["_mmk"],
    pattern: "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])",
    lookbehind: { chars: /\w/, maxChars: 36 },
  },
  { id: "typeform", name: "Typeform token", prefixes: ["tfp_"], pattern: "tfp_[\\w=.-]{40,600}" },
  { id: "contentful", name: "Contentful token", prefixes: ["CFPAT-"], pattern: "CFPAT-[\\w-]{43}" },
  {
    id: "grafana",
    name: "Grafana token",
    prefixes: ["glsa_", "glc_"],
    pattern: "gl(?:sa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|c_[A-Za-z0-9+/]{32,600}={0,3})",
  },
  { id: "newrelic", name: "New Relic key", prefixes: ["NRAK-", "NRII-"], pattern: "NR(?:AK|II)-[\\w-]{27,}" },
  {
    id: "sentry",
    name: "Sentry token",
    prefixes: ["sntrys_eyJ", "sntryu_"],
    pattern: "sntry(?:s_eyJ[A-Za-z0-9+/]{30,600}={0,2}_[\\w+/]{40,600}|u_[0-9a-f]{64})",
  },
  {
    id: "dynatrace",
    name: "Dynatrace token",
    prefixes: ["dt0c01.", "dt0s01."],
    pattern: "dt0[cs]01\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}",
  },
  { id: "posthog", name: "PostHog key", prefixes: ["phx_", "phs_"], pattern: "ph[xs]_[A-Za-z0-9]{40,}" },
];

/** Patterns that only gitleaks has. */
const patternsFromGitleaks: readonly SecretPattern[] = gitleaksPatterns.map(
  ({ entropy: minEntropy = 0, mayBeWords, ...row }) => ({
    ...row,
    isLikely: (secret) => (mayBeWords ? isRandom(secret) : isVaried(secret)) && shannonEntropy(secret) >= minEntropy,
  }),
);

/** All secret patterns; if two match, the earlier one wins. */
export const secretPatterns: readonly SecretPattern[] = [
  ...codeHostPatterns,
  ...cloudPatterns,
  ...modelProviderPatterns,
  ...messageServicePatterns,
  ...commercePatterns,
  ...productivityPatterns,
  ...registryPatterns,
  ...patternsFromGitleaks,
  ...contextualPatterns,
];
