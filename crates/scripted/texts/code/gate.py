"""A WSGI gate: requests that come too fast are answered with 429."""


class Gate:
    def __init__(self, application, limiter):
        self._application = application
        self._limiter = limiter

    def __call__(self, environ, start_response):
        # Headers are not trusted: a client could choose its bucket with them.
        wait = self._limiter.check(environ.get("REMOTE_ADDR", ""))
        if wait == 0:
            return self._application(environ, start_response)
        body = f"Too many requests, try again in {wait} s.\n".encode()
        start_response(
            "429 Too Many Requests",
            [
                ("Content-Type", "text/plain; charset=utf-8"),
                ("Content-Length", str(len(body))),
                ("Retry-After", str(wait)),
            ],
        )
        return [body]
