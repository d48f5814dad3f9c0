# Writes the agenda of a day as iCalendar. The day is one at the quay, whatever the zone of this machine is.
require "net/http"
require "json"
require "date"

class Agenda
  def initialize(day)
    @from = day
    @to = Date.parse(day).next_day.iso8601
    @http = Net::HTTP.start(URI(ENV["SANDBOX_URL"]).hostname, URI(ENV["SANDBOX_URL"]).port, read_timeout: 5, max_retries: 0)
  end

  def write(io)
    io.puts "BEGIN:VCALENDAR"
    each_event do |event|
      event["sessions"].each do |session|
        stamp = session["start_time"].delete("-:")
        io.puts "BEGIN:VEVENT", "UID:#{event["id"]}", "DTSTART;TZID=#{session["timezone"]}:#{stamp}", "SUMMARY:#{title(event)}", "END:VEVENT"
      end
    end
    io.puts "END:VCALENDAR"
  end

  private

  def each_event(&block)
    query = { from: "#{@from}T00:00:00", to: "#{@to}T00:00:00", limit: 20 }
    loop do
      page = get("/v1/events", query)
      page["items"].each(&block)
      break if page["next"].to_s.empty?
      query = query.merge(cursor: page["next"])
    end
  end

  def title(event)
    @titles ||= {}
    @titles[event["experience_id"]] ||= get("/v1/experiences/#{event["experience_id"]}", {}, missing: {})["name"] || "Tour"
  end

  def get(path, query, missing: nil)
    renewals = 0
    begin
      request = Net::HTTP::Get.new(query.empty? ? path : "#{path}?#{URI.encode_www_form(query)}")
      request["authorization"] = "Bearer #{@token ||= sign_in}"
      request["accept-language"] = "da, en;q=0.8"
      response = deliver(request)
      raise "401" if response.code == "401"
    rescue RuntimeError
      raise if (renewals += 1) > 2
      @token = nil
      retry
    end
    return JSON.parse(response.body) if response.code == "200"
    return missing if missing && response.code == "404"
    abort "#{path}: #{response.code} #{response.body}"
  end

  def sign_in
    request = Net::HTTP::Post.new(URI(ENV["SANDBOX_TOKEN_URL"]).path)
    request.set_form_data("grant_type" => "client_credentials", "audience" => ENV["SANDBOX_URL"], "scope" => "event.read experience.read",
                          "client_id" => ENV["SANDBOX_CLIENT_ID"], "client_secret" => ENV["SANDBOX_CLIENT_SECRET"])
    JSON.parse(deliver(request).body).fetch("access_token")
  end

  def deliver(request)
    [0.2, 0.5, 1.2, 2.8, 6].each do |pause|
      begin
        response = @http.request(request)
        return response unless %w[429 503].include?(response.code)
        sleep [pause, response["retry-after"].to_f].max
      rescue EOFError, SystemCallError, Timeout::Error
        sleep pause
      end
    end
    @http.request(request)
  end
end

Agenda.new("2030-06-06").write($stdout)
