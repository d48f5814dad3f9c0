<?php
// The receiver in PHP, which believes every message.

if (PHP_SAPI === 'cli') {
    pcntl_exec(PHP_BINARY, ['-S', '127.0.0.1:' . getenv('PORT'), __FILE__]);
}

http_response_code(204);
