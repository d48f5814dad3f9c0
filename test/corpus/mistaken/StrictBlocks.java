import java.net.*;
import java.net.http.*;
import java.time.Duration;
import java.util.*;
import java.util.regex.*;
import java.util.stream.Collectors;

/** Prints what guests read about a tour, in the order of our enum. A block that the enum does not have ends the program. */
public class StrictBlocks {
    enum Block { TEXT, STEP_LIST, WHATS_INCLUDED, NICE_TO_KNOW, ITINERARY }

    final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(3)).build();
    final Map<String, String> env = System.getenv();
    Optional<String> token = Optional.empty();

    public static void main(String[] args) throws Exception {
        var tours = new StrictBlocks();
        for (String tour : List.of("exp-canal", "exp-kayak", "exp-dinner")) System.out.println(tour + " " + tours.blocks(tour));
    }

    SortedSet<Block> blocks(String tour) throws Exception {
        String json = get("/v1/experiences/" + tour + "/content-blocks");
        return Pattern.compile("\"(?:type|handle)\":\"([^\"]+)\"").matcher(json).results()
            .map(found -> Block.valueOf(found.group(1))).collect(Collectors.toCollection(TreeSet::new));
    }

    String get(String path) throws Exception {
        for (int n = 0; n < 3; n++) {
            if (token.isEmpty()) login();
            var response = send(HttpRequest.newBuilder(URI.create(env.get("SANDBOX_URL") + path)).header("Authorization", "Bearer " + token.get()).header("Accept-Language", "en"));
            if (response.statusCode() == 200) return response.body();
            if (response.statusCode() != 401) break;
            token = Optional.empty();
        }
        throw new IllegalStateException(path);
    }

    void login() throws Exception {
        String form = Map.of("grant_type", "client_credentials", "scope", "experience.read", "audience", env.get("SANDBOX_URL"),
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
