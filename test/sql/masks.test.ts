/** Values masked by kind. */
import { describe, expect, it } from "vitest";
import { maskText } from "../../src/sql/masks.ts";

describe("maskText", () => {
  it.each<[Parameters<typeof maskText>[1][number], string, string]>([
    ["email", "write to Ann.O'Neil+x@mail.example.co.uk or b@b.de!", "write to <email masked> or <email masked>!"],
    ["email", "an @ sign, a@b, @home", "an @ sign, a@b, @home"],
    ["email", "jörg@bücher.example", "<email masked>"],
    ["phone", "+1 (212) 221-4679 / +49 30 1234567", "<phone masked> / <phone masked>"],
    ["phone", "(030) 123 4567, 555-123-4567", "<phone masked>, <phone masked>"],
    ["phone", "2024-05-31 12:30:00, 12345, 3.14159, 1999", "2024-05-31 12:30:00, 12345, 3.14159, 1999"],
    ["credit_card", "4111 1111 1111 1111 and 4111111111111111", "<credit_card masked> and <credit_card masked>"],
    ["us_ssn", "123-45-6789, 123-456-789", "<us_ssn masked>, 123-456-789"],
    ["ip_address", "10.0.0.1 and fe80:0:0:0:1:2:3:4", "<ip_address masked> and <ip_address masked>"],
  ])("masks %s in %j", (kind, text, expected) => {
    expect(maskText(text, [kind])).toBe(expected);
  });

  it("leaves everything alone without a kind, and takes several", () => {
    expect(maskText("a@b.cd 10.0.0.1", [])).toBe("a@b.cd 10.0.0.1");
    expect(maskText("a@b.cd 10.0.0.1", ["email", "ip_address"])).toBe("<email masked> <ip_address masked>");
  });

  it("takes a hostile text in its stride", () => {
    const shapes = [
      "a".repeat(50_000),
      "a@".repeat(25_000),
      "1".repeat(50_000),
      "(12) ".repeat(10_000),
      "1.1.".repeat(12_000),
      "a@a-".repeat(12_000),
    ];
    for (const text of shapes)
      expect(maskText(text, ["email", "phone", "credit_card", "us_ssn", "ip_address"]).length).toBeGreaterThan(0);
  });
});
