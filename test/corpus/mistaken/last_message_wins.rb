# Keeps the state of each booking in a file, as the last message said. A creation that comes late revives a cancelled one.
require "socket"
require "json"
require "openssl"

FILE = "#{ENV["SANDBOX_RUN_FOLDER"]}/bookings.json"
STATES = { "v1.booking.created" => "ACTIVE", "v1.booking.updated" => "ACTIVE", "v1.booking.cancelled" => "CANCELLED" }.freeze
KEYS = ENV["SANDBOX_WEBHOOK_SECRETS"].split.map { |s| s[6..].unpack1("m") }
known, seen, lock = {}, {}, Mutex.new
File.write(FILE, "{}")

genuine = lambda do |head, body|
  stamp = head["webhook-timestamp"].to_i
  next false if (Time.now.to_i - stamp).abs >= 300
  text = "#{head["webhook-id"]}.#{head["webhook-timestamp"]}.#{body}"
  KEYS.any? { |key| OpenSSL.secure_compare([OpenSSL::HMAC.digest("SHA256", key, text)].pack("m0"), head["webhook-signature"].to_s) }
end

server = TCPServer.new("127.0.0.1", ENV["PORT"])
server.listen(300)
while (client = server.accept)
  Thread.new(client) do |io|
    io.gets
    head = io.each_line("\r\n").take_while { |line| line != "\r\n" }.to_h { |line| line.chomp.split(": ", 2).then { |k, v| [k.downcase, v] } }
    body = io.read(head["content-length"].to_i)
    if genuine.call(head, body)
      message = JSON.parse(body)
      lock.synchronize do
        state = STATES[message["type"]]
        if state && !seen[head["webhook-id"]]
          seen[head["webhook-id"]] = true
          known[message["payload"]["booking_id"]] = state
          File.write(FILE, known.to_json)
        end
      end
      io.write "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    else
      io.write "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    end
    io.close
  end
end
