import java.io.IOException;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;

/** Gives seats to a waiting list, with HttpURLConnection, one guest after the other. What was given is kept in a file. */
public class Waitlist {
    record Reply(int status, String body, int retryAfter) {
        String find(String name) {
            Matcher m = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(body);
            return m.find() ? m.group(1) : "";
        }
    }

    private final String base = System.getenv("SANDBOX_URL");
    private final Path file = Path.of(System.getenv("SANDBOX_RUN_FOLDER"), "given.properties");
    private final Properties given = new Properties();
    private String token = "";

    public static void main(String[] args) throws Exception {
        // HttpURLConnection repeats a POST by itself when a connection that was kept turns out to be closed.
        System.setProperty("sun.net.http.retryPost", "false");
        System.setProperty("http.keepAlive", "false");
        var list = new Waitlist();
        for (String guest : List.of("Kirsten Ask", "Jens Vang")) if (!list.serve(guest)) break;
    }

    private boolean serve(String guest) throws Exception {
        String key = "wait-" + guest.toLowerCase().replace(' ', '-');
        if (!"true".equals(call("GET", "/v1/event-availabilities/evt-tomorrow-evening", null).find("available"))) return false;
        String body = """
            {"event_id": "evt-tomorrow-evening", "locale": "da", "metadata": {"list": "%s"},
             "customer": {"customer_type": "PRIVATE", "name": "%s", "email": "%s@example.com",
              "address": {"address_lines": ["Havnevej 7"], "city": "Marstal", "zip_code": "5960", "country": "DK"}},
             "items": [{"type_id": "var-adult", "item_type": "VARIANT", "quantity": 1}]}""".formatted(key, guest, key);
        Reply reply = null;
        while (reply == null) {
            if (call("GET", "/v1/bookings?sort=-created_at&limit=25", null).body().contains("\"list\":\"" + key + "\"")) return save(key);
            try {
                reply = call("POST", "/v1/bookings", body);
            } catch (IOException lost) {
                System.err.println("no response, looking for " + key);
            }
        }
        if (reply.status() == 201) return save(key);
        System.err.println(guest + ": " + reply.find("code"));
        if (reply.status() != 409) throw new IllegalStateException(reply.body());
        return !"NOT_ENOUGH_RESOURCES".equals(reply.find("code"));
    }

    private boolean save(String key) throws IOException {
        given.put(key, "booked");
        try (var out = Files.newBufferedWriter(file)) {
            given.store(out, null);
        }
        return true;
    }

    private Reply call(String method, String path, String body) throws Exception {
        for (int attempt = 0; ; attempt++) {
            if (token.isEmpty()) token = login();
            Reply reply;
            try {
                reply = send(method, base + path, body, "application/json");
            } catch (IOException lost) {
                if (!method.equals("GET") || attempt == 6) throw lost;
                reply = new Reply(503, "", 0);
            }
            if (reply.status() == 401 && attempt < 3) token = "";
            else if (reply.status() != 429 && reply.status() != 503 || attempt == 6) {
                if (method.equals("GET") && reply.status() != 200) throw new IllegalStateException(path + ": " + reply.status());
                return reply;
            } else Thread.sleep(Math.max(1000L * reply.retryAfter(), 120L << attempt));
        }
    }

    private String login() throws Exception {
        var form = new StringJoiner("&");
        Map.of("grant_type", "client_credentials", "audience", base, "scope", "booking.read booking.write event.read",
            "client_id", System.getenv("SANDBOX_CLIENT_ID"), "client_secret", System.getenv("SANDBOX_CLIENT_SECRET"))
            .forEach((name, value) -> form.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8)));
        for (long wait = 200; wait < 5000; wait *= 2) {
            Reply reply = send("POST", System.getenv("SANDBOX_TOKEN_URL"), form.toString(), "application/x-www-form-urlencoded");
            if (reply.status() == 200) return reply.find("access_token");
            Thread.sleep(Math.max(wait, 1000L * reply.retryAfter()));
        }
        throw new IllegalStateException("no token");
    }

    private Reply send(String method, String url, String body, String type) throws IOException {
        var connection = (HttpURLConnection) new URL(url).openConnection();
        connection.setRequestMethod(method);
        connection.setConnectTimeout(3000);
        connection.setReadTimeout(6000);
        connection.setRequestProperty("Content-Type", type);
        if (!token.isEmpty()) connection.setRequestProperty("Authorization", "Bearer " + token);
        if (body != null) {
            connection.setDoOutput(true);
            connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        }
        int status = connection.getResponseCode();
        var stream = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
        String text = stream == null ? "" : new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        return new Reply(status, text, connection.getHeaderFieldInt("Retry-After", 0));
    }
}
