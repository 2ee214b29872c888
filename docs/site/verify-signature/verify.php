<?php
// $body: the raw request body, file_get_contents('php://input').
function verify(string $secret, string $header, string $body, ?int $now = null): bool
{
    $t = preg_match('/(?:^|,)t=([0-9]+)(?:,|$)/', $header, $match) ? $match[1] : '';
    if ($t === '' || abs(($now ?? time()) - (int) $t) > 300) {
        return false;
    }
    $expected = 'v1=' . hash_hmac('sha256', "$t.$body", $secret);
    $matches = false;
    foreach (explode(',', $header) as $part) {
        $matches = hash_equals($expected, $part) || $matches;
    }
    return $matches;
}
