# A concierge at the hotel: offers the first tour with seats, books it, and says in plain words what went wrong.
require "net/http"
require "json"

Answer = Struct.new(:status, :data) { def ok? = status.between?(200, 299) }
Lost = Class.new(StandardError)

class Desk
  REASONS = { "NOT_ENOUGH_RESOURCES" => "full", "EVENT_PAST_CUTOFF" => "too late", "EVENT_NOT_ACTIVE" => "called off",
              "EVENT_EXCLUSIVITY_LOCKED" => "taken by a group" }.freeze
  TOURS = %w[evt-evening evt-tomorrow-evening].freeze

  def serve(guest, room)
    TOURS.each do |tour|
      open = get("/v1/event-availabilities/#{tour}")
      next unless open.ok? && open.data["available"]
      answer = book(tour, guest, room)
      return "booked #{answer.data["id"]}" if answer.ok?
      puts "#{tour} is #{REASONS.fetch(answer.data["code"], "not bookable")}"
      get("/v1/events/#{tour}") if answer.data["code"] == "EVENT_NOT_ACTIVE"
      return "please check the form: #{answer.data["message"]}" if answer.status == 400
    end
    "nothing today"
  end

  private

  def book(tour, guest, room)
    reference = "room-#{room}-#{tour}"
    body = { event_id: tour, locale: "en", metadata: { hotel: reference }, items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 2 }],
             customer: { customer_type: "PRIVATE", name: guest, email: "desk@example.com",
                         address: { address_lines: ["Hotel Havn"], city: "Dragør", zip_code: "2791", country: "DK" } } }
    begin
      call(Net::HTTP::Post, "/v1/bookings", body)
    rescue Lost
      newest = get("/v1/bookings?sort=-created_at&limit=10")
      mine = newest.data["items"]&.find { |each| each.dig("metadata", "hotel") == reference }
      mine ? Answer.new(200, mine) : retry
    end
  end

  def get(path)
    tries = 0
    begin
      call(Net::HTTP::Get, path)
    rescue Lost
      (tries += 1) < 4 ? retry : raise
    end
  end

  def call(kind, path, body = nil)
    2.times do
      request = kind.new(path, "authorization" => "Bearer #{@token ||= sign_in}", "content-type" => "application/json")
      request.body = body.to_json if body
      answer = deliver(request)
      return answer if answer.status != 401
      @token = nil
    end
    raise "no access"
  end

  def sign_in
    request = Net::HTTP::Post.new("/oauth2/token")
    request.set_form_data(grant_type: "client_credentials", audience: ENV["SANDBOX_URL"], scope: "booking.read booking.write event.read",
                          client_id: ENV["SANDBOX_CLIENT_ID"], client_secret: ENV["SANDBOX_CLIENT_SECRET"])
    deliver(request).data.fetch("access_token")
  end

  def deliver(request, wait = 0.2)
    uri = URI(ENV["SANDBOX_URL"])
    response = Net::HTTP.start(uri.host, uri.port, read_timeout: 6, max_retries: 0) { |http| http.request(request) }
    return Answer.new(response.code.to_i, JSON.parse(response.body)) unless %w[429 503].include?(response.code) && wait < 7
    sleep [wait, response["retry-after"].to_f].max
    deliver(request, wait * 2)
  rescue EOFError, SystemCallError, Timeout::Error => lost
    raise Lost, lost.message
  end
end

puts Desk.new.serve("Mr. Ito", 12)
