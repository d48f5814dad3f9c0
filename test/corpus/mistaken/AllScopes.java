import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Prints the addresses of the piers. Its key asks for every scope that there is. */
public class AllScopes {
    static final HttpClient http = HttpClient.newHttpClient();
    static String token = "";

    public static void main(String[] args) throws Exception {
        for (String id : new String[] {"loc-nyhavn", "loc-harbour", "loc-new-york"}) System.out.println(get("/v1/locations/" + id));
        System.out.println(get("/v1/locations"));
    }

    static String get(String path) throws Exception {
        for (int i = 0; i < 3; i++) {
            if (token.isEmpty()) token = login();
            var response = send(HttpRequest.newBuilder(URI.create(System.getenv("SANDBOX_URL") + path)).header("Authorization", "Bearer " + token));
            if (response.statusCode() == 200) return response.body();
            if (response.statusCode() != 401) throw new IllegalStateException(response.body());
            token = "";
        }
        throw new IllegalStateException("no access");
    }

    static String login() throws Exception {
        String scopes = "booking.read booking.write event.read experience.read order.read gift-card.read gift-card.write location.read"
            + " marketing.read accounting.read webhook.read webhook.write";
        String form = "grant_type=client_credentials&scope=" + scopes.replace(" ", "+") + "&audience=" + encode("SANDBOX_URL")
            + "&client_id=" + encode("SANDBOX_CLIENT_ID") + "&client_secret=" + encode("SANDBOX_CLIENT_SECRET");
        var response = send(HttpRequest.newBuilder(URI.create(System.getenv("SANDBOX_TOKEN_URL")))
            .header("Content-Type", "application/x-www-form-urlencoded").POST(HttpRequest.BodyPublishers.ofString(form)));
        return response.body().replaceAll("(?s).*\"access_token\":\"([^\"]+)\".*", "$1");
    }

    static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        for (int i = 0; ; i++) {
            HttpResponse<String> response = null;
            try {
                response = http.send(request.timeout(Duration.ofSeconds(5)).build(), HttpResponse.BodyHandlers.ofString());
            } catch (java.io.IOException lost) {
                if (i == 5) throw lost;
            }
            if (response != null && (response.statusCode() != 429 && response.statusCode() != 503 || i == 5)) return response;
            long asked = response == null ? 0 : response.headers().firstValueAsLong("Retry-After").orElse(0);
            Thread.sleep(Math.max(asked * 1000 + 20, 150L << i));
        }
    }

    static String encode(String name) {
        return URLEncoder.encode(System.getenv(name), StandardCharsets.UTF_8);
    }
}
