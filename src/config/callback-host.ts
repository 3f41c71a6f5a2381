/**
 * Which host names a callback may go to when the operator lists none in particular (`CALLBACK_ORIGINS` is `*`).
 *
 * On Workers the address behind a name can be neither seen nor pinned, so what can be read off the name itself must be
 * harmless: well formed, public, not this server's own, and spelling no address inside a network. There are DNS services
 * that turn such a spelling into that very address (`10-0-0-1.sslip.io`), and anybody can run one under a name of their
 * own: so the four numbers are looked for under every domain. Services that also take other spellings (hex, IPv6) are refused by name.
 * What remains (a harmless name that resolves inward) is the platform's part: `global_fetch_strictly_public` in wrangler.toml.
 * Pure: no I/O, no clock.
 */

/** Names that never mean a public host (RFC 6761, RFC 6762, RFC 8375, RFC 9476, ICANN's .internal). */
const LOCAL_SUFFIXES: ReadonlySet<string> = new Set([
  "alt",
  "arpa",
  "example",
  "home",
  "internal",
  "intranet",
  "invalid",
  "lan",
  "local",
  "localdomain",
  "localhost",
  "onion",
  "private",
  "test",
]);
/** Public domains whose every name is an address that it spells, or this machine. */
const ECHO_DOMAINS: readonly string[] = [
  "nip.io",
  "sslip.io",
  "xip.io",
  "traefik.me",
  "localtest.me",
  "lvh.me",
  "vcap.me",
  "lacolhost.com",
  "local.gd",
];
const HOST_CHARS_MAX = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/;

/** Why `hostname`, as the URL parser gives it, is refused, or null. `ownHost`: this server's name. */
export function refuseHost(hostname: string, ownHost: string): string | null {
  // The parser has brought every spelling of an IPv4 address to four decimal numbers, and IPv6 into brackets.
  const host = hostname.replace(/\.+$/, "").toLowerCase();
  const labels = host.split(".");
  const last = labels.at(-1) ?? "";
  if (host.startsWith("[") || /^[0-9]+$/.test(last)) return "The address must name a host, not an IP address.";
  if (hostname.endsWith(".")) return "The host name must not end with a dot.";
  if (labels.length < 2) return "The host name must be a public one, with a domain.";
  if (host.length > HOST_CHARS_MAX || !labels.every((label) => LABEL.test(label)) || !TOP_LABEL.test(last)) {
    return "The host name is not well formed: its parts are letters, digits and inner dashes, 63 at most, between single dots.";
  }
  if (LOCAL_SUFFIXES.has(last)) return "The host name is a local one.";
  if (host === ownHost.toLowerCase()) return "The address is this server's own.";
  if (ECHO_DOMAINS.some((domain) => host === domain || host.endsWith(`.${domain}`)) || spellsInnerAddress(host)) {
    return "The host name stands for an address inside a network. Name a public host.";
  }
  return null;
}

/** True when four numbers in a row, between dots or dashes, are an IPv4 address that is not of the public internet. */
function spellsInnerAddress(host: string): boolean {
  const numbers = host.split(/[.-]/).map((part) => (/^[0-9]{1,3}$/.test(part) ? Number(part) : Number.NaN));
  return numbers.some((_, index) => isInnerAddress(numbers.slice(index, index + 4)));
}

/** The special blocks of RFC 6890 that are not reached over the public internet. */
function isInnerAddress(numbers: readonly number[]): boolean {
  const [a = Number.NaN, b = Number.NaN] = numbers;
  if (numbers.length !== 4 || !numbers.every((number) => number <= 255)) return false;
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b <= 127;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b <= 31;
  if (a === 192) return b === 168 || (b === 0 && numbers[2] === 0);
  return a === 198 && (b === 18 || b === 19);
}
