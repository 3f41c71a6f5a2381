import { describe, expect, test } from "vitest";
import { refuseHost } from "../../src/config/callback-host.ts";
import { parseCallbackUrl } from "../../src/config/callback-url.ts";

const OWN = "querent.example.net";

describe("refuseHost", () => {
  test.each([
    "example.com",
    "hooks.example.co.uk",
    "a-b.example.com",
    "10.example.com",
    "10.0.0.example.com",
    "v10-0-0.example.com",
    "ec2-54-12-3-4.compute-1.amazonaws.com",
    "8.8.8.8.example.com",
    "100.63.0.1.example.com",
    "172.15.0.1.example.com",
    "172.32.0.1.example.com",
    "192.169.0.1.example.com",
    "198.20.0.1.example.com",
    "256.10.0.0.example.com",
    "xn--bcher-kva.example.com",
    "a.xn--p1ai",
    "notnip.io.example.com",
    "mynip.io",
    `${"a".repeat(63)}.example.com`,
  ])("I5: takes %s", (host) => {
    expect(refuseHost(host, OWN)).toBeNull();
  });

  test.each([
    ["a..b.com", "well formed"],
    [".example.com", "well formed"],
    ["-a.com", "well formed"],
    ["a-.com", "well formed"],
    ["a.-b.com", "well formed"],
    ["a_b.com", "well formed"],
    ["*.example.com", "well formed"],
    ["a%b.com", "well formed"],
    ["example.c", "well formed"],
    ["example.c0m", "well formed"],
    ["--1.sslip.io", "well formed"],
    [`${"a".repeat(64)}.example.com`, "well formed"],
    [`${"a.".repeat(130)}com`, "well formed"],
    ["example.com.", "end with a dot"],
    ["example.com..", "end with a dot"],
    ["example", "public"],
    ["printer.local", "local"],
    ["QUERENT.example.net", "own"],
    ["1.2.3.4", "IP address"],
    ["[::1]", "IP address"],
  ])("I5: refuses %s", (host, reason) => {
    expect(refuseHost(host, OWN)).toContain(reason);
  });

  test.each([
    "127.0.0.1.nip.io",
    "127-0-0-1.example.com",
    "127.0.0.1.example.com",
    "10-0-0-1.sslip.io",
    "app.10.0.0.1.example.com",
    "app-10-0-0-1.example.com",
    "app-10-0-0-1-eu.example.com",
    "1.127.0.0.1.example.com",
    "0.0.0.0.example.com",
    "010.0.0.1.example.com",
    "100.64.0.1.example.com",
    "169.254.169.254.example.com",
    "169-254.169-254.example.com",
    "172.16.0.1.example.com",
    "172-31-255-255.example.com",
    "192.168.1.1.example.com",
    "192-0-0-8.example.com",
    "198.18.0.1.example.com",
    "224.0.0.1.example.com",
    "255.255.255.255.example.com",
    "7f000001.nip.io",
    "8.8.8.8.nip.io",
    "localtest.me",
    "a.lvh.me",
  ])("I5, I7: %s spells an address inside a network, or can, and is refused", (host) => {
    expect(refuseHost(host, OWN)).toContain("inside a network");
  });

  test("an origin that the operator names is not judged by its name", () => {
    const rules = { origins: ["https://127.0.0.1.nip.io", "*"], ownHost: OWN };
    expect(parseCallbackUrl("https://127.0.0.1.nip.io/hook", rules).ok).toBe(true);
    expect(parseCallbackUrl("https://10.0.0.1.nip.io/hook", rules).ok).toBe(false);
    expect(parseCallbackUrl("https://a..b.com/hook", rules).ok).toBe(false);
  });
});
