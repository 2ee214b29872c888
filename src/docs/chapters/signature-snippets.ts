/** Verify Svc-Signature in four languages; test/contract/signature-snippets.test.ts runs them. */

export const snippets = {
  js: `import { createHmac, timingSafeEqual } from 'node:crypto'

// body: the raw request body, before any JSON parsing.
export function verify(secret, header, body, now = Date.now() / 1000) {
  const entries = header.split(',').map((part) => part.split('='))
  const t = entries.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^[0-9]+$/.test(t) || Math.abs(now - Number(t)) > 300) return false
  const expected = createHmac('sha256', secret).update(t + '.').update(body).digest()
  return entries.some(([name, hex = '']) => {
    const actual = Buffer.from(hex, 'hex')
    return name === 'v1' && actual.length === expected.length && timingSafeEqual(actual, expected)
  })
}`,

  python: `import hashlib, hmac, re, time

# body: the raw request body, before any JSON parsing.
def verify(secret, header, body, now=None):
    entries = [part.partition("=")[::2] for part in header.split(",")]
    t = next((value for name, value in entries if name == "t"), "")
    now = time.time() if now is None else now
    if not re.fullmatch("[0-9]+", t) or abs(now - int(t)) > 300:
        return False
    signed = t.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    return any(
        name == "v1" and hmac.compare_digest(value.encode(), expected)
        for name, value in entries
    )`,

  java: `import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Webhooks {
  /** body: the raw request body, before any JSON parsing; now: Unix seconds. */
  public static boolean verify(String secret, String header, byte[] body, long now)
      throws Exception {
    String t = "";
    for (String part : header.split(",")) if (part.startsWith("t=")) t = part.substring(2);
    if (!t.matches("[0-9]{1,12}") || Math.abs(now - Long.parseLong(t)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    mac.update((t + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes();
    boolean matches = false;
    for (String part : header.split(",")) matches |= MessageDigest.isEqual(expected, part.getBytes());
    return matches;
  }
}`,

  php: `<?php
// $body: the raw request body, file_get_contents('php://input').
function verify(string $secret, string $header, string $body, ?int $now = null): bool
{
    $t = preg_match('/(?:^|,)t=([0-9]+)(?:,|$)/', $header, $match) ? $match[1] : '';
    if ($t === '' || abs(($now ?? time()) - (int) $t) > 300) {
        return false;
    }
    $expected = 'v1=' . hash_hmac('sha256', "$t.$body", $secret);
    $matches = false;
    foreach (explode(',', $header) as $part) {
        $matches = hash_equals($expected, $part) || $matches;
    }
    return $matches;
}`,
} as const
