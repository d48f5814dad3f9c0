import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A receiver on the server of the JDK: answers at once, and one thread reads the bookings that messages name. */
public class Arrivals {
    static final Map<String, String> env = System.getenv();
    static final Set<String> seen = ConcurrentHashMap.newKeySet();
    static final ExecutorService work = Executors.newSingleThreadExecutor();
    static final HttpClient client = HttpClient.newHttpClient();
    static String token;

    public static void main(String[] args) throws IOException {
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(env.get("PORT"))), 300);
        server.createContext("/hooks", Arrivals::receive);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }

    static void receive(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String id = exchange.getRequestHeaders().getFirst("webhook-id");
        boolean isGenuine = isGenuine(id, exchange.getRequestHeaders(), body);
        exchange.sendResponseHeaders(isGenuine ? 204 : 401, -1);
        exchange.close();
        Matcher booking = Pattern.compile("\"booking_id\"\\s*:\\s*\"([^\"]+)\"").matcher(new String(body, StandardCharsets.UTF_8));
        if (isGenuine && booking.find() && seen.add(id)) work.submit(() -> read(booking.group(1)));
    }

    static boolean isGenuine(String id, Headers headers, byte[] body) {
        try {
            String sent = headers.getFirst("webhook-timestamp");
            if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(sent)) > 300) return false;
            byte[] given = Base64.getDecoder().decode(headers.getFirst("webhook-signature"));
            for (String secret : env.get("SANDBOX_WEBHOOK_SECRETS").split(" ")) {
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
                mac.update((id + "." + sent + ".").getBytes(StandardCharsets.UTF_8));
                if (java.security.MessageDigest.isEqual(mac.doFinal(body), given)) return true;
            }
        } catch (Exception malformed) {
            // A message that can't be read is not genuine.
        }
        return false;
    }

    static void read(String booking) {
        try {
            for (int n = 0; n < 7; n++) {
                if (token == null) token = login();
                var response = token == null ? null : send(HttpRequest.newBuilder(URI.create(env.get("SANDBOX_URL") + "/v1/bookings/" + booking)).header("Authorization", "Bearer " + token));
                int status = response == null ? 503 : response.statusCode();
                if (status == 200 && response.body().contains("\"status\":\"CHECKED_IN\"")) System.out.println(booking + " has arrived");
                if (status == 401) token = null;
                else if (status != 429 && status != 503) return;
                long after = response == null ? 0 : response.headers().firstValueAsLong("Retry-After").orElse(0);
                if (status != 401) Thread.sleep(Math.max(1000 * after, 100L << n));
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    static String login() throws InterruptedException {
        var form = new StringBuilder("grant_type=client_credentials&scope=booking.read");
        Map.of("audience", "SANDBOX_URL", "client_id", "SANDBOX_CLIENT_ID", "client_secret", "SANDBOX_CLIENT_SECRET")
            .forEach((name, from) -> form.append('&').append(name).append('=').append(URLEncoder.encode(env.get(from), StandardCharsets.UTF_8)));
        var request = HttpRequest.newBuilder(URI.create(env.get("SANDBOX_TOKEN_URL"))).header("Content-Type", "application/x-www-form-urlencoded");
        var response = send(request.POST(HttpRequest.BodyPublishers.ofString(form.toString())));
        Matcher found = Pattern.compile("\"access_token\":\"([^\"]+)\"").matcher(response == null ? "" : response.body());
        return found.find() ? found.group(1) : null;
    }

    /** Null where there was no response. */
    static HttpResponse<String> send(HttpRequest.Builder request) throws InterruptedException {
        try {
            return client.send(request.timeout(Duration.ofSeconds(5)).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException lost) {
            return null;
        }
    }
}
