/** Tokens of those who keep code and build it. */

import type { Family } from "../family.ts";

export const codeHosts: readonly Family[] = [
  {
    id: "github",
    name: "GitHub token",
    needles: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: "gh[pousr]_[A-Za-z0-9]{36,}",
  },
  {
    id: "githubpat",
    name: "GitHub fine-grained token",
    needles: ["github_pat_"],
    pattern: "github_pat_[A-Za-z0-9_]{50,}",
  },
  {
    id: "gitlab",
    name: "GitLab token",
    needles: ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-"],
    pattern: "gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[\\w-]{20,}(?:\\.[\\w-]{2,20}){0,2}",
  },
  {
    id: "bitbucket",
    name: "Atlassian token",
    needles: ["ATATT3", "ATBB", "ATCTT3"],
    pattern: "AT(?:[AC]TT3[\\w=-]{60,600}|BB[A-Za-z0-9]{28,})",
  },
  { id: "buildkite", name: "Buildkite token", needles: ["bkua_"], pattern: "bkua_[0-9a-f]{40}" },
  { id: "circleci", name: "CircleCI token", needles: ["CCIPAT_", "CCIPRJ_"], pattern: "CCIP(?:AT|RJ)_[\\w-]{40,}" },
  { id: "sonar", name: "SonarQube token", needles: ["squ_", "sqp_", "sqa_"], pattern: "sq[upa]_[0-9a-f]{40}" },
  {
    id: "jfrog",
    name: "Artifactory token",
    needles: ["AKCp", "cmVmdGtuO"],
    pattern: "(?:AKCp[A-Za-z0-9]{60,}|cmVmdGtuO[A-Za-z0-9]{50,})",
  },
];
