"""Requests with a key, over the standard library's HTTP."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union
from urllib.parse import urlencode, urlsplit

from .errors import NoAnswerError, ServiceError, TidemarkError, service_error_of

json_type = "application/json"
arrow_type = "application/vnd.apache.arrow.stream"
event_stream_type = "text/event-stream"
_part_bytes = 1024 * 1024


class _Key:
    """A key that no `repr`, and so no trace of variables, shows."""

    def __init__(self, text: str) -> None:
        if not text.isascii() or not text.isprintable() or " " in text or text == "":
            # Not shown: what is wrong with it does not make it less of a secret.
            raise ValueError("The key is empty, or has a space or a character that no key has; copy it again.")
        self._text = text

    def header(self) -> str:
        return f"Bearer {self._text}"

    def __repr__(self) -> str:
        return "<key>"


@dataclass(frozen=True)
class _Answer:
    status: int
    headers: http.client.HTTPMessage
    #: None where the connection broke in the middle of it.
    body: Optional[bytes]


class Transport:
    """One connection a request: what is idle is never broken, and threads may share a client."""

    def __init__(self, url: str, key: Optional[str], timeout_s: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError('url must be the address of the service, such as "http://127.0.0.1:8080".')
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise ValueError("url must hold nothing but the address of the service; give the key as key=...")
        self.url = url.rstrip("/")
        self._parts = parts
        self._base = parts.path.rstrip("/")
        self._key = None if key is None else _Key(key)
        self._timeout_s = timeout_s

    def json(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        """The answer to a request of JSON."""
        return parsed(self.send(method, path, None if body is None else json.dumps(body).encode(), parameters=parameters))

    def send(
        self,
        method: str,
        path: str,
        body: Optional[bytes] = None,
        *,
        accept: str = json_type,
        idempotency_key: Optional[str] = None,
        parameters: Optional[Mapping[str, object]] = None,
        on_bytes: Callable[[int], None] = lambda _: None,
    ) -> bytes:
        """The whole body of the answer. Raises `ServiceError` where it is a problem, and `NoAnswerError` where none came."""
        given = {name: value for name, value in (parameters or {}).items() if value is not None}
        headers = {"Accept": accept}
        if body is not None:
            headers["Content-Type"] = json_type
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        target = self._base + path + (f"?{urlencode(given)}" if given else "")
        outcome = self._exchange(method, target, body, headers, on_bytes)
        # Raised here, and without a cause: no trace shows the frames that hold the header with the key.
        if isinstance(outcome, TidemarkError):
            raise outcome
        return self._taken(outcome, accept)

    def events(self, path: str, parameters: Sequence[tuple[str, str]], last_id: Optional[str]) -> Iterator[tuple[Optional[str], str, Optional[str]]]:
        """The blocks of a stream of server-sent events: id, event and data. Raises `NoAnswerError` when it ends."""
        headers = {"Accept": event_stream_type, **({} if last_id is None else {"Last-Event-ID": last_id})}
        connection = self._connection()
        failure: Optional[TidemarkError] = None
        try:
            authorization = {} if self._key is None else {"Authorization": self._key.header()}
            connection.request("GET", f"{self._base}{path}?{urlencode(parameters)}", headers={**headers, **authorization})
            response = connection.getresponse()
            if response.status != 200 or response.headers.get_content_type() != event_stream_type:
                failure = service_error_of(response.status, response.read(_part_bytes), response.headers.get("Retry-After"))
            else:
                block: dict[str, str] = {}
                for raw in response:
                    line = raw.decode().rstrip("\r\n")
                    name, _, value = line.partition(":")
                    if name:
                        block[name] = value.removeprefix(" ")
                    elif line == "" and block:
                        yield block.get("id"), block.get("event", "message"), block.get("data")
                        block = {}
        except (OSError, http.client.HTTPException) as error:
            failure = NoAnswerError(f"The stream of {self.url} broke ({type(error).__name__}).", sent=True)
        finally:
            connection.close()
        raise failure or NoAnswerError(f"The stream of {self.url} ended.", sent=True)

    def _taken(self, answer: _Answer, accept: str) -> bytes:
        status, headers, body = answer.status, answer.headers, answer.body
        if 300 <= status < 400 and headers.get("Location"):
            detail = f"{self.url} redirects to {headers['Location']}, which is not followed. Give the address where the service itself answers."
            raise ServiceError(status, "unknown", detail)
        if not 200 <= status < 300:
            error = service_error_of(status, body, headers.get("Retry-After"))
            if status == 403 and self._key is None:
                error.args = (f"{error} No key was given: Tidemark(url, key).",)
            raise error
        if body is None:
            raise NoAnswerError(f"The connection to {self.url} broke in the middle of its answer.", sent=True)
        # What stands between here and the service may say with a page of its own that all is well.
        if headers.get_content_type() != accept:
            raise service_error_of(status, b"", None)
        return body

    def _exchange(
        self, method: str, target: str, body: Optional[bytes], headers: Mapping[str, str], on_bytes: Callable[[int], None]
    ) -> Union[_Answer, NoAnswerError]:
        connection = self._connection()
        try:
            try:
                connection.connect()
            except OSError as error:
                return self._unreachable(error)
            try:
                # In no variable that outlives this call: the caller's frames stand in traces.
                authorization = {} if self._key is None else {"Authorization": self._key.header()}
                try:
                    connection.request(method, target, body, {**headers, **authorization})
                except (BrokenPipeError, ConnectionResetError):
                    # The service may have answered before it had the whole body.
                    pass
                response = connection.getresponse()
                return _Answer(response.status, response.headers, _body_of(response, on_bytes))
            except socket.timeout:
                return NoAnswerError(f"{self.url} gave no answer within {self._timeout_s:g} s (timeout_s).", sent=True)
            except (OSError, http.client.HTTPException) as error:
                hint = " If the service speaks HTTPS, write https://." if self._parts.scheme == "http" else ""
                reason = type(error).__name__
                return NoAnswerError(f"The connection to {self.url} broke before its answer came ({reason}).{hint}", sent=True)
        finally:
            # Who breaks off here ends the query at the service too.
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self._timeout_s, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=self._timeout_s)

    def _unreachable(self, error: OSError) -> NoAnswerError:
        if isinstance(error, ssl.SSLCertVerificationError):
            rule = "If an authority of your own signed it, name its file in the environment: SSL_CERT_FILE=/path/to/authority.pem."
            return NoAnswerError(f"The certificate of {self.url} is not trusted ({error.verify_message}). {rule}", sent=False)
        if isinstance(error, ssl.SSLError):
            reason = error.reason or "no TLS"
            return NoAnswerError(f"{self.url} speaks no HTTPS ({reason}). Write http:// if it is reached without it.", sent=False)
        reason = error.strerror or str(error)
        return NoAnswerError(f"Cannot reach {self.url} ({reason}). Does the service run, and is this its address?", sent=False)


def _body_of(response: http.client.HTTPResponse, on_bytes: Callable[[int], None]) -> Optional[bytes]:
    parts = bytearray()
    try:
        while True:
            part = response.read(_part_bytes)
            if not part:
                # A body that is shorter than it was said to be ends without an error.
                return None if response.length else bytes(parts)
            parts += part
            on_bytes(len(parts))
    except (OSError, http.client.HTTPException):
        return None


def parsed(text: bytes) -> Any:
    """The value of an answer in JSON; one that is cut is none."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    raise NoAnswerError("The answer is no JSON: its end may be lost on the way.", sent=True)
