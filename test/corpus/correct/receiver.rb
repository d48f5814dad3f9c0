# A receiver without a framework: one thread for each connection, and a journal to which a message is appended once.
require "socket"
require "openssl"
require "json"
require "net/http"

KEYS = ENV.fetch("SANDBOX_WEBHOOK_SECRETS").split.map { |secret| secret.delete_prefix("whsec_").unpack1("m") }
SEEN = {}
LOCK = Mutex.new

def genuine?(headers, body)
  id, sent, signature = headers.values_at("webhook-id", "webhook-timestamp", "webhook-signature")
  return false unless id && signature && sent.to_s.match?(/\A\d+\z/) && (Time.now.to_i - sent.to_i).abs < 300
  KEYS.any? do |key|
    expected = [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{sent}.#{body}")].pack("m0")
    OpenSSL.secure_compare(expected, signature)
  end
end

def handle(client)
  client.gets or return
  headers = {}
  while (line = client.gets.chomp) != ""
    name, value = line.split(": ", 2)
    headers[name.downcase] = value
  end
  body = client.read(headers["content-length"].to_i)
  ok = genuine?(headers, body)
  client.write("HTTP/1.1 #{ok ? "204 No Content" : "401 Unauthorized"}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
  return unless ok
  message = JSON.parse(body)
  first = LOCK.synchronize { SEEN.key?(headers["webhook-id"]) ? false : SEEN[headers["webhook-id"]] = true }
  puts "#{message["type"]} #{message["payload"].values.first}" if first && message["type"].start_with?("v1.event.")
ensure
  client.close
end

server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT")))
$stdout.sync = true
loop { Thread.start(server.accept) { |client| handle(client) } }
