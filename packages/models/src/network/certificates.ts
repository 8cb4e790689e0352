/** What the system trusts, beside what Node brings along. Reading it takes a tenth of a second, so only when it is missed. */

let isTrusted = false;

/** Whether it is trusted from now on, or has been; false where Node is too old for it. */
export function trustSystem(): boolean {
  if (isTrusted) return true;
  const tls = process.getBuiltinModule("node:tls");
  if (typeof tls.setDefaultCACertificates !== "function") return false;
  isTrusted = true;
  const certificates = [...tls.getCACertificates("default"), ...tls.getCACertificates("system")];
  tls.setDefaultCACertificates([...new Set(certificates)]);
  return true;
}
