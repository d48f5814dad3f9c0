# Prints the price list for the window. It sends no Accept-Language, and leaves out what it is not given.
require "net/http"
require "json"

uri = URI(ENV["SANDBOX_URL"])
Net::HTTP.start(uri.host, uri.port, open_timeout: 3, read_timeout: 6) do |http|
  patient = lambda do |request|
    wait = 0.2
    loop do
      response = http.request(request)
      break response if wait > 6 || !%w[429 503].include?(response.code)
      sleep [wait, response["retry-after"].to_f].max
      wait *= 2
    end
  end
  login = lambda do
    post = Net::HTTP::Post.new("/oauth2/token")
    post.set_form_data(grant_type: "client_credentials", audience: ENV["SANDBOX_URL"], scope: "experience.read location.read",
                       client_id: ENV["SANDBOX_CLIENT_ID"], client_secret: ENV["SANDBOX_CLIENT_SECRET"])
    JSON.parse(patient.(post).body)["access_token"]
  end
  token = login.()
  get = lambda do |path|
    request = Net::HTTP::Get.new(path)
    request["Authorization"] = "Bearer #{token}"
    response = patient.(request)
    if response.code == "401"
      request["Authorization"] = "Bearer #{token = login.()}"
      response = patient.(request)
    end
    response.code == "200" ? JSON.parse(response.body)["items"] : []
  end
  puts(get.("/v1/locations").map { |location| location.dig("address", "city") })
  puts(get.("/v1/experiences?limit=4").map { |tour| tour["name"] })
end
