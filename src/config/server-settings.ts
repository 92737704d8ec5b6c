// The settings of the HTTP server, for the table in settings.ts.
import { longestMs, mebibyte } from './measures.ts'
import { integer, list, type Setting, text } from './setting.ts'
import { trustedProxies } from './trusted-proxies.ts'

export const serverSettings = {
  'server.basePath': text({
    default: '',
    pattern: /^(\/[A-Za-z0-9._~-]+)*$/,
    allowed: 'a path such as /tidemark, with no slash at its end',
    description: 'The prefix of every path of the service, such as /tidemark.',
  }),
  'server.tlsCertFile': text({
    default: '',
    description:
      'A PEM file with the certificate for HTTPS, followed by its intermediate certificates. Needs `server.tlsKeyFile`. A new pair of files is loaded without a restart.',
  }),
  'server.tlsKeyFile': text({
    default: '',
    description: 'A PEM file with its private key, without a passphrase.',
  }),
  'server.hosts': list({
    pattern: /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/,
    allowed: 'a list of names without ports, such as data.example',
    description:
      'The names of the service that callers use where `access.consumption` is `public`. Addresses and `localhost` always work. A request by any other name needs a key, because it may come from a web page.',
  }),
  'server.trustProxy': trustedProxies({
    description:
      'The proxies whose `X-Forwarded-For` is trusted: the number of proxies in a row, or their addresses. `true` is 1. Give a number only if nobody can reach the server except through the proxies.',
  }),
  'server.timeZones': text({
    default: '',
    defaultText: "the system's `/usr/share/zoneinfo` where it is newer than the rules of Node.js, else those",
    description:
      'A zoneinfo folder, such as `/usr/share/zoneinfo`, with the rules of all time zones. It is read at the start.',
  }),
  'server.headerBytes': integer({
    default: 16_384,
    unit: 'bytes',
    min: 1024,
    max: mebibyte,
    description: 'The largest headers of a request.',
  }),
  'server.headersMs': integer({
    default: 30_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'The longest that the headers of a request may take to arrive.',
  }),
  'server.requestMs': integer({
    default: 300_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'The longest that a whole request may take to arrive.',
  }),
  'server.keepAliveMs': integer({
    default: 72_000,
    unit: 'milliseconds',
    min: 1,
    max: longestMs,
    description: 'How long an idle connection stays open for the next request.',
  }),
  'server.shutdownMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 0,
    max: longestMs,
    description:
      'How long requests in flight may continue after the server is asked to stop. At most half of the time that is left then is used to seal rows in memory. Rows that are not sealed are read from the journal at the next start.',
  }),
} satisfies Record<string, Setting>
