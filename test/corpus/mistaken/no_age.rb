# A receiver that checks who signed a message, but not when: yesterday's message can be sent again.
require "socket"
require "json"
require "openssl"

keys = ENV["SANDBOX_WEBHOOK_SECRETS"].split(" ").map { |s| s.sub("whsec_", "").unpack1("m") }
seen = Hash.new { |known, id| known[id] = true; false }
server = TCPServer.new("127.0.0.1", ENV["PORT"].to_i)
loop do
  Thread.new(server.accept) do |socket|
    socket.gets
    headers = {}
    while (line = socket.gets&.strip) && !line.empty?
      key, value = line.split(/:\s*/, 2)
      headers[key.downcase] = value
    end
    body = socket.read(headers["content-length"].to_i)
    id, at, signature = headers.values_at("webhook-id", "webhook-timestamp", "webhook-signature")
    genuine = keys.any? { |key| [OpenSSL::HMAC.digest("SHA256", key, [id, at, body].join("."))].pack("m0") == signature }
    socket.print "HTTP/1.1 #{genuine ? 204 : 401} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    puts JSON.parse(body)["type"] if genuine && !seen[id]
  ensure
    socket.close
  end
end
