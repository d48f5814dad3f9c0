import java.io.IOException;
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.Pattern;

/** Counts the orders of each customer for a loyalty programme: pages are read in one thread, counted in another. */
class Loyalty {
    record Page(List<String> emails, String next) {}

    static final Page LAST = new Page(List.of(), "");
    final HttpClient http = HttpClient.newHttpClient();
    final BlockingQueue<Page> pages = new LinkedBlockingQueue<>();
    String token;

    public static void main(String[] args) throws Exception {
        var loyalty = new Loyalty();
        var reading = CompletableFuture.runAsync(loyalty::read);
        var counts = new TreeMap<String, Integer>();
        for (Page page = loyalty.pages.take(); page != LAST; page = loyalty.pages.take())
            page.emails.forEach(email -> counts.merge(email, 1, Integer::sum));
        reading.join();
        Files.writeString(Path.of(System.getenv("SANDBOX_RUN_FOLDER"), "loyalty.txt"), counts.toString());
    }

    void read() {
        try {
            String cursor = "";
            do {
                String body = get("/v1/orders?limit=45" + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
                var emails = Pattern.compile("\"email\":\"(.*?)\"").matcher(body).results().map(m -> m.group(1)).toList();
                var next = Pattern.compile("\"next\":\"(.*?)\"").matcher(body);
                cursor = next.find() ? java.net.URLEncoder.encode(next.group(1), "UTF-8") : "";
                pages.add(new Page(emails, cursor));
            } while (!cursor.isEmpty());
        } catch (IOException | InterruptedException problem) {
            throw new CompletionException(problem);
        } finally {
            pages.add(LAST);
        }
    }

    String get(String path) throws IOException, InterruptedException {
        if (token == null) login();
        for (int renewed = 0; ; renewed++) {
            var request = HttpRequest.newBuilder(URI.create(System.getenv("SANDBOX_URL") + path)).header("Authorization", "Bearer " + token);
            var response = patiently(request.timeout(Duration.ofSeconds(7)).build());
            if (response.statusCode() == 200) return response.body();
            if (response.statusCode() != 401 || renewed > 1) throw new IOException(path + " " + response.statusCode());
            login();
        }
    }

    void login() throws IOException, InterruptedException {
        var secret = System.getenv("SANDBOX_CLIENT_SECRET").replace("~", "%7E").replace("+", "%2B");
        var form = "grant_type=client_credentials&scope=order.read&audience=" + System.getenv("SANDBOX_URL")
            + "&client_id=" + System.getenv("SANDBOX_CLIENT_ID") + "&client_secret=" + secret;
        var request = HttpRequest.newBuilder(URI.create(System.getenv("SANDBOX_TOKEN_URL"))).POST(BodyPublishers.ofString(form));
        var response = patiently(request.header("Content-Type", "application/x-www-form-urlencoded").build());
        var found = Pattern.compile("\"access_token\":\"(.*?)\"").matcher(response.body());
        if (!found.find()) throw new IOException("no token: " + response.statusCode());
        token = found.group(1);
    }

    HttpResponse<String> patiently(HttpRequest request) throws IOException, InterruptedException {
        for (long wait = 250; ; wait *= 2) {
            try {
                var response = http.send(request, BodyHandlers.ofString());
                if (response.statusCode() != 429 && response.statusCode() != 503 || wait > 8000) return response;
                Thread.sleep(Math.max(wait, 1000 * response.headers().firstValueAsLong("Retry-After").orElse(0)));
            } catch (IOException lost) {
                if (wait > 8000) throw lost;
                Thread.sleep(wait);
            }
        }
    }
}
