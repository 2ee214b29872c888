import java.nio.charset.StandardCharsets;
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
}
