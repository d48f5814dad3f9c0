# Books the orders that the call centre wrote down, once each. A line that was booked is noted in a ledger, so the
# script may be started again at any time.
require "json"
require "net/http"
require "csv"

URL_BASE = ENV.fetch("SANDBOX_URL")
LEDGER = File.join(ENV.fetch("SANDBOX_RUN_FOLDER"), "ledger.json")
Busy = Class.new(StandardError)

def send_request(request, uri = URI(URL_BASE))
  Net::HTTP.start(uri.host, uri.port, open_timeout: 3, read_timeout: 6, max_retries: 0) { |http| http.request(request) }
end

def sign_in
  form = { grant_type: "client_credentials", audience: URL_BASE, scope: "booking.read booking.write",
           client_id: ENV["SANDBOX_CLIENT_ID"], client_secret: ENV["SANDBOX_CLIENT_SECRET"] }
  request = Net::HTTP::Post.new(URI(ENV.fetch("SANDBOX_TOKEN_URL")))
  request.set_form_data(form)
  with_patience { send_request(request).tap { |it| raise Busy if it.code.to_i >= 429 } }.then { JSON.parse(_1.body)["access_token"] }
end

def with_patience(tries = 6)
  attempt = 0
  begin
    yield
  rescue Busy => busy
    raise if (attempt += 1) == tries
    sleep [busy.message.to_f, 0.2 * 2**attempt].max
    retry
  end
end

def api(request)
  with_patience do
    @token ||= sign_in
    request["authorization"] = "Bearer #{@token}"
    response = send_request(request)
    if response.code == "401"
      @token = nil
      request["authorization"] = "Bearer #{@token = sign_in}"
      response = send_request(request)
    end
    raise Busy, response["retry-after"] if [429, 503].include?(response.code.to_i)
    response
  end
end

def find(reference)
  # Reading is safe, so a lost connection is no reason to stop.
  response = with_patience { api(Net::HTTP::Get.new("/v1/bookings?sort=-created_at&limit=50")) rescue raise(Busy) }
  JSON.parse(response.body)["items"].find { |it| it.dig("metadata", "call_centre") == reference }
end

def book(row)
  name, mail = row["guest"], row["mail"]
  post = Net::HTTP::Post.new("/v1/bookings", "content-type" => "application/json")
  post.body = JSON.generate(event_id: row["event"], locale: "en", metadata: { call_centre: row["no"] },
    customer: { customer_type: "PRIVATE", name:, email: mail, address: { address_lines: ["Havnegade 3"], city: "Aarhus", zip_code: "8000", country: "DK" } },
    items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: row["seats"].to_i }])
  response = api(post)
  answer = JSON.parse(response.body)
  response.code == "201" ? { booking: answer["id"] } : { rejected: answer["code"] }
rescue Timeout::Error, EOFError, SystemCallError
  made = find(row["no"])
  made ? { booking: made["id"] } : retry
end

ledger = File.exist?(LEDGER) ? JSON.parse(File.read(LEDGER)) : {}
CSV.parse(DATA, headers: true).each do |row|
  next if ledger.key?(row["no"])
  ledger[row["no"]] = find(row["no"])&.then { { booking: _1["id"] } } || book(row)
  File.write(LEDGER, JSON.generate(ledger))
end
warn ledger.select { |_, line| line[:rejected] }.map { |no, line| "#{no} #{line[:rejected]}" }

__END__
no,event,guest,mail,seats
CC-17,evt-tomorrow-evening,Ida Berg,ida@example.com,2
CC-18,evt-evening,Jon Dahl,jon@example.com,1
