import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.regex.*;
import java.util.stream.Collectors;

/** Sells one ticket at the counter: looks, books, prints the ticket. */
public class Counter {
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String BASE = System.getenv("SANDBOX_URL");
    private static final String SALE = "counter-2-sale-881";
    private static String token;

    public static void main(String[] args) throws Exception {
        String event = "evt-tomorrow-evening";
        if (!get("/v1/event-availabilities/" + event).contains("\"available\":true")) return;
        String booking = book(event);
        if (booking == null) return;
        String state = get("/v1/bookings/" + booking);
        if ("ACTIVE".equals(field(state, "status"))) System.out.println(get("/v1/bookings/" + booking + "/tickets"));
    }

    private static String book(String event) throws Exception {
        String body = """
            {"event_id":"%s","locale":"en","metadata":{"sale":"%s"},
             "customer":{"customer_type":"PRIVATE","name":"Walk-in guest","email":"counter@example.com",
               "address":{"address_lines":["Nyhavn 1"],"city":"Copenhagen","zip_code":"1051","country":"DK"}},
             "items":[{"type_id":"var-adult","item_type":"VARIANT","quantity":1}]}""".formatted(event, SALE);
        for (int attempt = 0; attempt < 5; attempt++) {
            try {
                HttpResponse<String> response = send("POST", "/v1/bookings", body, false);
                if (response.statusCode() == 201) return field(response.body(), "id");
                System.err.println("not sold: " + field(response.body(), "code"));
                if (response.statusCode() == 409) get("/v1/event-availabilities/" + event);
                return null;
            } catch (java.io.IOException lost) {
                // Nobody knows whether the sale was made, so look for it.
                Matcher made = Pattern.compile("\"sale\":\"" + SALE + "\"[^{}]*\\}?[^{}]*\"id\":\"([^\"]+)\"|\"id\":\"([^\"]+)\"(?:(?!\"id\":).)*\"sale\":\"" + SALE + "\"")
                    .matcher(get("/v1/bookings?sort=-created_at&limit=20"));
                if (made.find()) return made.group(1) != null ? made.group(1) : made.group(2);
            }
        }
        throw new IllegalStateException("the API is out of reach");
    }

    private static String get(String path) throws Exception {
        HttpResponse<String> response = send("GET", path, null, true);
        if (response.statusCode() != 200) throw new IllegalStateException(path + ": " + response.body());
        return response.body();
    }

    private static HttpResponse<String> send(String method, String path, String body, boolean mayRepeat) throws Exception {
        for (int attempt = 1; ; attempt++) {
            if (token == null) token = signIn();
            var request = HttpRequest.newBuilder(URI.create(BASE + path)).timeout(Duration.ofSeconds(6))
                .header("authorization", "Bearer " + token).header("content-type", "application/json")
                .method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
            try {
                var response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
                int status = response.statusCode();
                if (status == 401 && attempt < 3) token = null;
                else if (status != 429 && status != 503 || attempt == 6) return response;
                else pause(attempt, response);
            } catch (java.io.IOException lost) {
                if (!mayRepeat || attempt == 6) throw lost;
                pause(attempt, null);
            }
        }
    }

    private static void pause(int attempt, HttpResponse<String> response) throws InterruptedException {
        long asked = response == null ? 0 : response.headers().firstValueAsLong("retry-after").orElse(0) * 1000;
        Thread.sleep(Math.max(asked + 50, 150L << attempt));
    }

    private static String signIn() throws Exception {
        String form = Map.of("grant_type", "client_credentials", "audience", BASE, "scope", "booking.read booking.write event.read",
                "client_id", System.getenv("SANDBOX_CLIENT_ID"), "client_secret", System.getenv("SANDBOX_CLIENT_SECRET"))
            .entrySet().stream().map(e -> e.getKey() + "=" + URLEncoder.encode(e.getValue(), StandardCharsets.UTF_8)).collect(Collectors.joining("&"));
        var request = HttpRequest.newBuilder(URI.create(System.getenv("SANDBOX_TOKEN_URL"))).timeout(Duration.ofSeconds(6))
            .header("content-type", "application/x-www-form-urlencoded").POST(HttpRequest.BodyPublishers.ofString(form)).build();
        for (int attempt = 1; ; attempt++) {
            var response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == 200) return field(response.body(), "access_token");
            if (attempt == 5) throw new IllegalStateException("no token: " + response.statusCode());
            pause(attempt, response);
        }
    }

    private static String field(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        return found.find() ? found.group(1) : "";
    }
}
