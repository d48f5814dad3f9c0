# A waiting list for the evening cruise: books when there are seats, and tries again every moment when there are none.
require "net/http"
require "json"

class Cruise
  EVENT = "evt-tomorrow-evening"

  def initialize = @uri = URI(ENV["SANDBOX_URL"])

  def seats?
    status, data = call(Net::HTTP::Get.new("/v1/event-availabilities/#{EVENT}"))
    status == 200 && data["available"]
  end

  def book(reference, name)
    post = Net::HTTP::Post.new("/v1/bookings", "content-type" => "application/json")
    post.body = { event_id: EVENT, locale: "da", metadata: { waiting: reference }, items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
                  customer: { customer_type: "PRIVATE", name:, email: "#{reference}@example.com",
                              address: { address_lines: ["Havnen 2"], city: "Svendborg", zip_code: "5700", country: "DK" } } }.to_json
    5.times do
      status, data = call(post)
      return puts("#{reference}: #{data["id"] || data["code"]}") unless status == 409 && data["code"] == "NOT_ENOUGH_RESOURCES"
      sleep 0.3
    end
  rescue EOFError, SystemCallError, Timeout::Error
    status, data = call(Net::HTTP::Get.new("/v1/bookings?sort=-created_at&limit=20"))
    raise unless status == 200 && data["items"].any? { |each| each.dig("metadata", "waiting") == reference }
  end

  private

  def call(request, renewed: false)
    request["authorization"] = "Bearer #{@token ||= sign_in}"
    response = patiently { http { _1.request(request) } }
    if response.code == "401" && !renewed
      @token = nil
      return call(request, renewed: true)
    end
    [response.code.to_i, JSON.parse(response.body)]
  end

  def sign_in
    form = URI.encode_www_form(grant_type: "client_credentials", audience: ENV["SANDBOX_URL"], scope: "booking.read booking.write event.read",
                               client_id: ENV["SANDBOX_CLIENT_ID"], client_secret: ENV["SANDBOX_CLIENT_SECRET"])
    JSON.parse(patiently { http { |it| it.post("/oauth2/token", form) } }.body).fetch("access_token")
  end

  def http(&) = Net::HTTP.start(@uri.host, @uri.port, read_timeout: 6, max_retries: 0, &)

  def patiently
    6.times do |n|
      response = yield
      return response unless %w[429 503].include?(response.code)
      sleep [response["retry-after"].to_f, 0.15 * 2**n].max
    end
    raise "busy"
  end
end

cruise = Cruise.new
{ "w-1" => "Gro Alstrup", "w-2" => "Ib Krag" }.each { |reference, name| cruise.book(reference, name) if cruise.seats? }
