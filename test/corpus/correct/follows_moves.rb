# Sends a guest the ticket on the morning of the tour. When the host has moved the booking, the new one is found by the order
# that both belong to.
require "net/http"
require "json"

$uri = URI(ENV.fetch("SANDBOX_URL"))

def http_request(request, repeatable)
  wait = 0.15
  begin
    response = Net::HTTP.start($uri.host, $uri.port, read_timeout: 6, max_retries: 0) { |http| http.request(request) }
    raise IOError, response["retry-after"] if %w[429 503].include?(response.code) && wait < 8
    response
  rescue IOError, SystemCallError, Timeout::Error => problem
    busy = problem.instance_of?(IOError)
    raise if (!busy && !repeatable) || wait > 8
    sleep [wait, busy ? problem.message.to_f : 0].max
    wait *= 2
    retry
  end
end

def token
  $token ||= begin
    request = Net::HTTP::Post.new("/oauth2/token")
    request.set_form_data(grant_type: "client_credentials", audience: ENV["SANDBOX_URL"], scope: "booking.read booking.write order.read",
                          client_id: ENV["SANDBOX_CLIENT_ID"], client_secret: ENV["SANDBOX_CLIENT_SECRET"])
    JSON.parse(http_request(request, true).body)["access_token"]
  end
end

def api(request, repeatable = true)
  request["authorization"] = "Bearer #{token}"
  response = http_request(request, repeatable)
  if response.code == "401"
    $token = nil
    request["authorization"] = "Bearer #{token}"
    response = http_request(request, repeatable)
  end
  [response.code.to_i, JSON.parse(response.body)]
end

def get(path) = api(Net::HTTP::Get.new(path))

def mine(reference)
  get("/v1/bookings?sort=-created_at&limit=20").last.fetch("items", []).select { |each| each.dig("metadata", "app") == reference }
end

reference = "app-20300602"
order = Net::HTTP::Post.new("/v1/bookings", "content-type" => "application/json")
order.body = { event_id: "evt-tomorrow-evening", locale: "de", metadata: { app: reference }, items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
               customer: { customer_type: "PRIVATE", name: "Jule Koch", email: "jule@example.com",
                           address: { address_lines: ["Hafenstr. 3"], city: "Flensburg", zip_code: "24937", country: "DE" } } }.to_json
begin
  status, booking = api(order, false)
rescue EOFError, SystemCallError, Timeout::Error
  status, booking = 201, mine(reference).first
  retry unless booking
end
abort "not booked: #{booking["code"]}" unless status == 201

_, now = get("/v1/bookings/#{booking["id"]}")
now = mine(reference).find { |each| each["status"] != "MOVED" } if now["status"] == "MOVED"
if now.nil?
  puts "The host has moved your tour; you get the new ticket by mail."
elsif now["status"] == "ACTIVE"
  puts get("/v1/bookings/#{now["id"]}/tickets").last["items"].map { |ticket| ticket["id"] }
end
