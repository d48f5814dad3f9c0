import java.net.*;
import java.net.http.*;
import java.time.Duration;
import java.util.*;
import java.util.regex.*;
import java.util.stream.Collectors;

/** Counts events by state for the harbour master. A state that the enum does not have ends the program. */
public class StrictStates {
    enum State { ACTIVE, INACTIVE, CANCELLED, COMPLETED, DELETED, UNKNOWN }

    final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(3)).build();
    final Map<String, String> env = System.getenv();
    Optional<String> token = Optional.empty();

    public static void main(String[] args) throws Exception {
        var states = new StrictStates().states();
        Map<State, Long> counts = states.stream().collect(Collectors.groupingBy(s -> s, Collectors.counting()));
        System.out.println(counts);
        System.out.println(new StrictStates().states("evt-evening"));
    }

    List<State> states() throws Exception {
        var found = new ArrayList<State>();
        String cursor = "";
        do {
            String page = get("/v1/events?limit=40" + cursor);
            found.addAll(parse(page));
            Matcher next = Pattern.compile("\"next\":\"([^\"]+)\"").matcher(page);
            cursor = next.find() ? "&cursor=" + URLEncoder.encode(next.group(1), "UTF-8") : "";
        } while (!cursor.isEmpty());
        return found;
    }

    List<State> states(String event) throws Exception {
        return parse(get("/v1/events/" + event));
    }

    static List<State> parse(String json) {
        return Pattern.compile("\"state\":\"([^\"]+)\"").matcher(json).results().map(m -> State.valueOf(m.group(1))).toList();
    }

    String get(String path) throws Exception {
        for (int n = 0; n < 3; n++) {
            if (token.isEmpty()) login();
            var response = send(HttpRequest.newBuilder(URI.create(env.get("SANDBOX_URL") + path)).header("Authorization", "Bearer " + token.get()));
            if (response.statusCode() == 200) return response.body();
            if (response.statusCode() != 401) break;
            token = Optional.empty();
        }
        throw new IllegalStateException(path);
    }

    void login() throws Exception {
        String form = Map.of("grant_type", "client_credentials", "scope", "event.read", "audience", env.get("SANDBOX_URL"),
            "client_id", env.get("SANDBOX_CLIENT_ID"), "client_secret", env.get("SANDBOX_CLIENT_SECRET")).entrySet().stream()
            .map(e -> e.getKey() + "=" + URLEncoder.encode(e.getValue(), java.nio.charset.StandardCharsets.UTF_8)).collect(Collectors.joining("&"));
        var response = send(HttpRequest.newBuilder(URI.create(env.get("SANDBOX_TOKEN_URL"))).header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form)));
        Matcher found = Pattern.compile("\"access_token\":\"([^\"]+)\"").matcher(response.body());
        token = found.find() ? Optional.of(found.group(1)) : Optional.empty();
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        for (int n = 0; ; n++) {
            try {
                var response = client.send(request.timeout(Duration.ofSeconds(6)).build(), HttpResponse.BodyHandlers.ofString());
                boolean isBusy = response.statusCode() == 429 || response.statusCode() == 503;
                if (!isBusy || n == 5) return response;
                Thread.sleep(Math.max(200L << n, response.headers().firstValueAsLong("Retry-After").orElse(0) * 1000));
            } catch (java.io.IOException lost) {
                if (n == 5) throw lost;
                Thread.sleep(200L << n);
            }
        }
    }
}
